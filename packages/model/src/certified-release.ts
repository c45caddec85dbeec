import type { CalibratedPlan, PrivacyEvent, PrivacyRecord } from '@hushrec/privacy';
import type { CertifiedRelease } from './certificate.js';

/** A release that a certificate cannot express, or a line that stands for no event. */
export class CertifiedReleaseError extends Error {
  override readonly name = 'CertifiedReleaseError';
  readonly kind = 'data';
}

/**
 * The lines of a certificate: one per planned release, in the order of the plan, then what was charged
 * besides.
 */
export function certifiedReleases(record: PrivacyRecord): CertifiedRelease[] {
  const lines = record.releases.map(({ name, count, event }) => {
    const planned = record.plan.releases.find((each) => each.name === name);
    return { name, count, ...lineOf(event, planned), ...(planned?.perPart && { perPart: true }) };
  });
  return [...lines, ...extraCharges(record)];
}

/** The event that the lines of a certificate stand for: what an accountant is asked about. */
export function eventOfReleases(lines: readonly CertifiedRelease[]): PrivacyEvent {
  return {
    kind: 'composed',
    events: lines.map((line) => {
      const event = eventOf(line);
      return line.count === 1 ? event : { kind: 'repeated', event, count: line.count };
    }),
  };
}

type LineBody = Omit<CertifiedRelease, 'name' | 'count'>;

function lineOf(event: PrivacyEvent, planned: CalibratedPlan['releases'][number] | undefined): LineBody {
  switch (event.kind) {
    case 'gaussian':
    case 'laplace':
    case 'k-norm':
    case 'poisson-sampled-gaussian': {
      const { kind, sensitivity: accounted, ...rest } = event;
      const sensitivity = planned?.sensitivity ?? accounted;
      return {
        mechanism: kind,
        sensitivity,
        ...rest,
        ...(accounted === sensitivity ? {} : { provedSensitivity: accounted }),
      };
    }
    case 'pure':
      return {
        mechanism: event.mechanism,
        sensitivity: planned?.sensitivity ?? 1,
        noise: planned?.noise ?? 0,
        epsilon: event.epsilon,
      };
    case 'sampler-distance':
      return { mechanism: event.kind, sensitivity: 0, noise: 0, totalVariation: event.totalVariation };
    case 'non-private':
      return {
        mechanism: event.kind,
        sensitivity: planned?.sensitivity ?? 0,
        noise: planned?.noise ?? 0,
        because: event.because,
      };
    default:
      throw new CertifiedReleaseError(
        `A release recorded as "${event.kind}" has no line in a certificate; record its parts one by one.`,
      );
  }
}

/** Charges of the record that belong to no planned release (sampler inexactness). */
function extraCharges(record: PrivacyRecord): CertifiedRelease[] {
  const events = record.event.kind === 'composed' ? record.event.events : [record.event];
  return events
    .filter((event) => event.kind === 'sampler-distance')
    .map((event) => ({ name: 'sampler-inexactness', count: 1, ...lineOf(event, undefined) }));
}

function eventOf(line: CertifiedRelease): PrivacyEvent {
  const sensitivity = line.provedSensitivity ?? line.sensitivity;
  const { noise } = line;
  switch (line.mechanism) {
    case 'gaussian':
      return { kind: 'gaussian', sensitivity, noise, ...gridOf(line) };
    case 'laplace':
      return {
        kind: 'laplace',
        sensitivity,
        noise,
        ...(line.gridScale === undefined ? {} : { gridScale: line.gridScale }),
      };
    case 'k-norm':
      return { kind: 'k-norm', sensitivity, noise, dimension: needed(line, 'dimension') };
    case 'poisson-sampled-gaussian':
      return {
        kind: 'poisson-sampled-gaussian',
        sensitivity,
        noise,
        rate: needed(line, 'rate'),
        ...gridOf(line),
      };
    case 'sampler-distance':
      return { kind: 'sampler-distance', totalVariation: needed(line, 'totalVariation') };
    case 'non-private':
      return { kind: 'non-private', because: line.because ?? 'no reason recorded' };
    default:
      return { kind: 'pure', mechanism: line.mechanism, epsilon: needed(line, 'epsilon') };
  }
}

function gridOf({ gridSigma }: CertifiedRelease): { gridSigma?: number } {
  return gridSigma === undefined ? {} : { gridSigma };
}

function needed(line: CertifiedRelease, field: 'dimension' | 'rate' | 'totalVariation' | 'epsilon'): number {
  const value = line[field];
  if (typeof value !== 'number') {
    throw new CertifiedReleaseError(`The release "${line.name}" (${line.mechanism}) has no ${field}.`);
  }
  return value;
}
