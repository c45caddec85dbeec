import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { lineTo, logLine, readIdentity, readSession } from './federate-role.js';

interface CoordinatorOptions {
  readonly session: string;
  readonly logJson?: boolean;
}

export function registerDpimfCoordinator(group: Command): void {
  addCommand<CoordinatorOptions>(group, {
    usage: 'dpimf-coordinator <folder>',
    summary: 'ask the parties of a dpimf session, round by round; sees noised sums alone',
    examples: ['hushrec federate dpimf-coordinator board --session session.json'],
    fields: ['session', 'rounds', 'parties', 'lost', 'seconds'],
    configure: (command) => {
      command
        .requiredOption('--session <file>', 'what `dpimf-session` wrote')
        .option('--log-json', 'steps as JSON lines on standard error');
    },
    run: async ([folder], options, context) => {
      const { CharterError, connectOver, coordinate, offerOf, waitForParty } = await import(
        '@hushrec/federate'
      );
      const { SeededRandom } = await import('@hushrec/ratings');
      const started = performance.now();
      const { office, key, tls } = await readIdentity(folder);
      const session = await readSession(options.session);
      if (session.coordinator.publicKey !== key.publicKey)
        throw new CharterError(`${office.name} is not the coordinator of this session.`);
      const log = logLine(options.logJson, context.say);
      const connections = await Promise.all(
        session.parties.map(async (party) => {
          const patient = await lineTo(party, tls, 600);
          await waitForParty(party.url, patient, context.signal);
          log('there', { party: party.name });
          return connectOver(party.name, party.url, await lineTo(party, tls, 'none'));
        }),
      );
      const random = new SeededRandom(session.publicSeed);
      const { guarantees, lost } = await coordinate(
        offerOf(session),
        connections,
        () => random.uniform(),
        (done, total) => {
          context.signal.throwIfAborted();
          log('round', { round: done });
          context.progress({ stage: 'rounds', done, total });
        },
      );
      const seconds = Math.round(performance.now() - started) / 1000;
      return {
        json: {
          session: session.session,
          rounds: session.rounds,
          parties: [...guarantees.keys()],
          lost: lost.map(({ party, round, reason }) => ({ party, round, reason })),
          seconds,
        },
        text: [
          `${session.rounds} rounds with ${guarantees.size - lost.length} of ${session.parties.length} parties to the end; each has the model.`,
          ...lost.map(({ party, round, reason }) => `${party} was lost at round ${round + 1}: ${reason}`),
        ].join('\n'),
      };
    },
  });
}
