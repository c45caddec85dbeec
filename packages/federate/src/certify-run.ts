import type { FederatedStatement } from '@hushrec/model';
import { composedMu, gaussianEpsilon, type PrivacyRecord, roundUpEpsilon } from '@hushrec/privacy';
import { type Charter, charterHash, noiseOnSum } from './charter.js';
import { LogError } from './federation-errors.js';
import { type AuditedLog, checkShares, entryHash } from './release-log.js';

/**
 * What the certificate of a federated run says about who added up. `head` is the hash of the log's last
 * entry.
 */
export async function federatedStatement(
  charter: Charter,
  head: string,
  record: PrivacyRecord,
): Promise<FederatedStatement> {
  const { noise, aggregators, admission, leastReports, plan } = charter;
  const keyed = (list: readonly { readonly name: string; readonly publicKey: string }[]) =>
    list.map(({ name, publicKey }) => ({ name, publicKey }));
  return {
    charter: await charterHash(charter),
    log: head,
    aggregators: keyed(aggregators),
    noiseBy: noise.by,
    ...(noise.by === 'parties' && admission.kind === 'parties' && { parties: keyed(admission.parties) }),
    honestNeeded: noise.honestNeeded,
    leastReports,
    outside: { epsilon: outsideEpsilon(record, plan.delta, noiseOnSum(charter)) },
  };
}

/**
 * ε against those who see what was published and nothing else, if everyone added the noise they signed for:
 * all of it counts then. The samplers' distance (below 2^-100 of any δ that is asked for) is taken from δ.
 * Only for Gaussian releases without sampling, which compose to one μ.
 */
function outsideEpsilon(record: PrivacyRecord, delta: number, onSum: number): number | null {
  try {
    return roundUpEpsilon(gaussianEpsilon(composedMu(record.event) / onSum, delta * (1 - 2 ** -40)));
  } catch {
    return null;
  }
}

/**
 * Checks that every sum of a log is the sum of what its aggregators published; gives the hash of the last
 * entry.
 */
export async function auditLog(
  charter: Charter,
  log: AuditedLog,
): Promise<{ readonly head: string; readonly entries: number }> {
  let head = await charterHash(charter);
  for (let exchange = 0; ; exchange++) {
    const entry = await log.peek(exchange);
    if (entry === undefined) return { head, entries: exchange };
    if (entry.header.previous !== head)
      throw new LogError(exchange, 'the entry does not follow the one before.');
    const shares = await Promise.all(charter.aggregators.map((_, at) => log.share(exchange, at)));
    await checkShares(charter, entry, shares);
    head = await entryHash(entry.header);
  }
}
