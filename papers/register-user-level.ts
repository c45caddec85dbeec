import { registerMethods } from '@hushrec/factorize';
import { userLevelMethods } from './user-level.js';

// What devices in a federated run can train with: methods that protect people. `register.ts` has all.
registerMethods(userLevelMethods);
