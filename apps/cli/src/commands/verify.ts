import type { Command } from 'commander';
import { addCommand, repeated } from '../command.js';
import { exitCodes } from '../exit-codes.js';

interface VerifyOptions {
  readonly key?: readonly string[];
  readonly log?: string;
  readonly data?: string;
  readonly features?: readonly string[];
  readonly kind?: readonly string[];
}

export function registerVerify(program: Command): void {
  addCommand<VerifyOptions>(program, {
    usage: 'verify <model>',
    summary:
      'recompute the certificate of a model (and the model, where its releases are published) and check that no file was changed',
    examples: [
      'hushrec verify sample-model',
      'hushrec verify sample-model --key 3b6a27bc…',
      'hushrec verify model --log board/run-5f0c…   (of a federated run: recompute the model from its log)',
    ],
    fields: ['ok', 'checks', 'warnings'],
    configure: (command) =>
      command
        .option('--key <hex>', 'require a signature by this Ed25519 public key (repeatable)', repeated)
        .option('--log <location>', 'folder or address of the log of a federated run')
        .option(
          '--data <dataset>',
          'data set folder with the public features it learned from; no rating of it is used',
        )
        .option('--features <file>', 'public features it learned from (repeatable), with --data', repeated)
        .option(
          '--kind <kind>',
          'of the file in the same place: categorical, similarity, public-ratings',
          repeated,
        ),
    run: async ([directory], options) => {
      const { key, log } = options;
      const { decodePublished } = await import('@hushrec/model');
      const { readModelFiles } = await import('@hushrec/model/folder');
      const { verifyModel } = await import('@hushrec/train');
      const files = await readModelFiles(directory);
      const { warnings, ...verification } = await verifyModel(files, {
        ...(key && { trustedKeys: key }),
        ...(await featuresGiven(options)),
      });
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

/** The public sources that it learned from, where they are given. */
async function featuresGiven(options: VerifyOptions) {
  if (options.data === undefined) return {};
  const { openDataset } = await import('@hushrec/ratings');
  const { addFeatureFiles } = await import('../feature-files.js');
  const dataset = await openDataset(options.data);
  return { features: [...dataset.features, ...(await addFeatureFiles(options, dataset))] };
}
