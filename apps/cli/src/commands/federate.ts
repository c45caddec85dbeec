import type { Command } from 'commander';
import { registerAggregator } from './federate-aggregator.js';
import { registerFederateAudit } from './federate-audit.js';
import { registerCharter } from './federate-charter.js';
import { registerCoordinator } from './federate-coordinator.js';
import { registerIdentity } from './federate-identity.js';
import { registerInvite } from './federate-invite.js';
import { registerIssue } from './federate-issue.js';
import { registerParty } from './federate-party.js';
import { registerSign } from './federate-sign.js';
import { registerSimulate } from './federate-simulate.js';

export function registerFederate(program: Command): void {
  const group = program
    .command('federate')
    .summary('training when nobody holds all the ratings')
    .description(
      'Training when nobody holds all the ratings: participants hand in secret shares, aggregators add them up with noise, a signed log of sums gives the model.',
    );
  registerIdentity(group);
  registerCharter(group);
  registerSign(group);
  registerAggregator(group);
  registerCoordinator(group);
  registerInvite(group);
  registerIssue(group);
  registerParty(group);
  registerSimulate(group);
  registerFederateAudit(group);
}
