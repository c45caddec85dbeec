import type { PublishedModel } from '@hushrec/model';
import type { ModelSummary } from '@hushrec/page/contract';
import type { ServedFile } from '../file-response.js';

export type { ModelSummary };

export function summaryOf(
  id: string,
  { manifest, model, certificate }: PublishedModel,
  metrics: Uint8Array | undefined,
  files: ReadonlyMap<string, ServedFile>,
  publishedAt: Date,
  isPublishedNow: boolean,
): ModelSummary {
  return {
    id,
    hash: certificate.hash,
    method: manifest.method,
    unit: certificate.unit,
    relation: certificate.relation,
    epsilon: certificate.epsilon,
    delta: certificate.delta,
    simulation: certificate.simulation,
    signed: certificate.signature !== undefined,
    kind: model.kind,
    feedback: model.feedback,
    items: manifest.itemIds.length,
    rank: model.kind === 'factors' ? model.rank : null,
    scale: manifest.scale ?? null,
    account: certificate.account,
    ledgerEntry: certificate.ledgerEntry,
    usefulness: certificate.usefulness ?? null,
    bytes: [...files.values()].reduce((sum, { size }) => sum + size, 0),
    publishedAt: publishedAt.toISOString(),
    isPublishedNow,
    files: Object.fromEntries([...files].map(([name, { tag }]) => [name, tag])),
    metrics: metrics === undefined ? null : parseMetrics(metrics),
  };
}

/** What was measured, from `metrics.json`; the file itself is checked by `hushrec verify`. */
function parseMetrics(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  const parsed = JSON.parse(new TextDecoder().decode(bytes)) as { metrics?: unknown } | null;
  const metrics = parsed?.metrics;
  return typeof metrics === 'object' && metrics !== null ? (metrics as Record<string, unknown>) : null;
}
