import type { PublishedModel } from '@hushrec/model';
import type { ServedFile } from '../file-response.js';

/** What lists and choices show of a model: the guarantee first. */
export interface ModelSummary {
  readonly id: string;
  readonly method: string;
  readonly unit: string;
  readonly relation: string;
  /** Null where there is no finite guarantee. */
  readonly epsilon: number | null;
  readonly delta: number;
  readonly simulation: boolean;
  readonly signed: boolean;
  readonly kind: string;
  readonly feedback: 'explicit' | 'implicit';
  readonly items: number;
  readonly rank: number | null;
  readonly scale: { readonly min: number; readonly max: number; readonly step: number } | null;
  /** Content hash of the data set it was trained on. */
  readonly dataset: string;
  /** Bytes of all its files. */
  readonly bytes: number;
  readonly publishedAt: string;
  /** File names with their entity tags, to fetch `/models/{id}/{file}`. */
  readonly files: Readonly<Record<string, string>>;
  /** The content of `metrics.json`, or null when the model was not evaluated. */
  readonly metrics: Readonly<Record<string, unknown>> | null;
}

export function summaryOf(
  id: string,
  { manifest, model, certificate }: PublishedModel,
  metrics: Uint8Array | undefined,
  files: ReadonlyMap<string, ServedFile>,
  publishedAt: Date,
): ModelSummary {
  return {
    id,
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
    dataset: certificate.dataset,
    bytes: [...files.values()].reduce((sum, { size }) => sum + size, 0),
    publishedAt: publishedAt.toISOString(),
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
