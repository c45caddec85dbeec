import type { ModelManifest, PublishedModel, UnpublishedModel } from '@hushrec/model';
import type { PrivacyRecord } from '@hushrec/privacy';
import { type CertificationContext, certify } from './publish/certify.js';
import { writeModelFolder } from './publish/write-folder.js';

/** Something that is not a simulation was to be published as one. */
export class NotASimulationError extends Error {
  override readonly name = 'NotASimulationError';
  readonly kind = 'privacy';
  constructor() {
    super('Only runs with a seed are published this way: others are charged first, by `trainAndPublish`.');
  }
}

/**
 * Publishes the model of a simulated session (several parties in one process), whose records are all made
 * with a seed. It protects nobody and says so; nothing is charged. Of several records the one with the
 * largest ε is certified, as a person is with one party.
 *
 * @throws NotASimulationError
 */
export async function publishSimulation(
  records: readonly PrivacyRecord[],
  published: Omit<UnpublishedModel, 'certificate'> & { readonly manifest: ModelManifest },
  context: Omit<CertificationContext, 'ledgerEntry'>,
  options: { readonly out: string; readonly overwrite: boolean },
): Promise<PublishedModel> {
  if (records.length === 0 || !records.every(({ simulation }) => simulation)) throw new NotASimulationError();
  const statements = records.map((record) => certify(record, { ...context, ledgerEntry: null }));
  const loss = ({ epsilon }: { epsilon: number | null }) => epsilon ?? Infinity;
  const certificate = statements.reduce((worst, each) => (loss(each) > loss(worst) ? each : worst));
  return writeModelFolder(options.out, { ...published, certificate }, { overwrite: options.overwrite });
}
