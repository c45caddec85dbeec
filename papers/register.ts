import { registerMethods } from '@hushrec/factorize';
import { methods } from './methods.js';

// Importing this file makes the papers' methods known by name, as a plug-in's are.
registerMethods(methods);
