import type {
  CertificateStatement,
  FederatedStatement,
  PublishedModel,
  UnpublishedModel,
} from '@hushrec/model';
import type { PrivacyRecord } from '@hushrec/privacy';
import { type CertificationContext, certify } from './publish/certify.js';
import { writeModelFolder } from './publish/write-folder.js';

/**
 * Publishes the model of a federated run, from its signed log: its participants charged their own accounts before their first report, and
 * the charter's hash takes the place of an account. Whoever calls this holds releases only.
 */
export function publishFederated(
  record: PrivacyRecord,
  published: Omit<UnpublishedModel, 'certificate'>,
  context: Omit<CertificationContext, 'ledgerEntry' | 'account' | 'federated'> & {
    readonly federated: FederatedStatement;
  },
  options: { readonly out: string; readonly overwrite: boolean },
): Promise<PublishedModel> {
  const certificate = certify(record, { ...context, account: context.federated.charter, ledgerEntry: null });
  return writeModelFolder(options.out, { ...published, certificate }, { overwrite: options.overwrite });
}

/** What a record costs, as a certificate states it; nothing is published. */
export function certifiedCost(
  record: PrivacyRecord,
): Pick<CertificateStatement, 'releases' | 'epsilon' | 'delta'> {
  const { releases, epsilon, delta } = certify(record, {
    method: '',
    account: '',
    catalogue: 'declared',
    ledgerEntry: null,
    codeVersion: '',
    tuning: '',
  });
  return { releases, epsilon, delta };
}
