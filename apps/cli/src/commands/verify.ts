import type { Command } from 'commander';
import { addCommand, repeated } from '../command.js';
import { exitCodes } from '../exit-codes.js';

interface VerifyOptions {
  readonly key?: readonly string[];
  readonly log?: string;
}

export function registerVerify(program: Command): void {
  addCommand<VerifyOptions>(program, {
    usage: 'verify <model>',
    summary: 'recompute the certificate of a model and check that no file was changed',
    examples: [
      'hushrec verify sample-model',
      'hushrec verify sample-model --key 3b6a27bc…',
      'hushrec verify model --log board/run-5f0c…   (of a federated run: recompute the model from its log)',
    ],
    fields: ['ok', 'checks', 'warnings'],
    configure: (command) =>
      command
        .option('--key <hex>', 'require a signature by this Ed25519 public key (repeatable)', repeated)
        .option('--log <location>', 'folder or address of the log of a federated run'),
    run: async ([directory], { key, log }) => {
      const { decodePublished, verifyPublished } = await import('@hushrec/model');
      const { readModelFiles } = await import('@hushrec/model/folder');
      const files = await readModelFiles(directory!);
      const verification = await verifyPublished(files, key === undefined ? {} : { trustedKeys: key });
      const { warnings } = verification;
      const checks = [...verification.checks];
      if (log !== undefined && verification.ok) {
        const { checkFederatedLog } = await import('./federate-verify.js');
        checks.push(...(await checkFederatedLog(await decodePublished(files), log)));
      }
      const ok = checks.every((check) => check.ok);
      const lines = checks.map(
        (check) => `${check.ok ? 'ok    ' : 'FAILED'}  ${check.name}: ${check.detail}`,
      );
      return {
        json: { ok, checks, warnings },
        text: [
          ...lines,
          ...warnings.map((warning) => `note    ${warning}`),
          '',
          ok ? 'The certificate holds.' : 'The certificate does NOT hold. Do not use this model.',
        ].join('\n'),
        exitCode: ok ? exitCodes.done : exitCodes.failed,
      };
    },
  });
}
