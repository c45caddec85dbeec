import {
  amount,
  fieldsOf,
  is,
  listOf,
  oneOf,
  optional,
  orNull,
  type Rule,
  text,
  whole,
} from '@hushrec/model/closed-fields';
import type { PrivacyEvent } from '@hushrec/privacy';
import type { Charge } from './charge.js';
import type { LedgerEvent, Protection } from './entry.js';
import { grantPeriods } from './grant-period.js';

type Tagged = { readonly kind: string };
type Named<Union extends Tagged, Kind extends Union['kind']> = Omit<Extract<Union, { kind: Kind }>, 'kind'>;

/** The rule for each kind of a union; a kind that is added to the type needs one before it compiles. */
function byKind<Union extends Tagged>(rules: { readonly [Kind in Union['kind']]: Rule }): Rule {
  const known = new Map<unknown, Rule>(Object.entries<Rule>(rules));
  return (value, place, look) => {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
    const rule = known.get(kind);
    return rule === undefined
      ? { place: place === '' ? 'kind' : `${place}.kind`, isUnknown: false }
      : rule(value, place, look);
  };
}

const noised = { sensitivity: amount, noise: amount };
const probability = is((value) => typeof value === 'number' && value >= 0 && value <= 1);

const privacyEvent: Rule = (...given) => anyPrivacyEvent(...given);
const anyPrivacyEvent = byKind<PrivacyEvent>({
  gaussian: fieldsOf<Named<PrivacyEvent, 'gaussian'>>({ ...noised, gridSigma: optional(amount) }),
  laplace: fieldsOf<Named<PrivacyEvent, 'laplace'>>({ ...noised, gridScale: optional(amount) }),
  'k-norm': fieldsOf<Named<PrivacyEvent, 'k-norm'>>({ ...noised, dimension: whole }),
  pure: fieldsOf<Named<PrivacyEvent, 'pure'>>({ mechanism: text, epsilon: amount }),
  'poisson-sampled-gaussian': fieldsOf<Named<PrivacyEvent, 'poisson-sampled-gaussian'>>({
    ...noised,
    rate: probability,
    gridSigma: optional(amount),
  }),
  repeated: fieldsOf<Named<PrivacyEvent, 'repeated'>>({ event: privacyEvent, count: whole }),
  composed: fieldsOf<Named<PrivacyEvent, 'composed'>>({ events: listOf(privacyEvent) }),
  'sampler-distance': fieldsOf<Named<PrivacyEvent, 'sampler-distance'>>({ totalVariation: amount }),
  'non-private': fieldsOf<Named<PrivacyEvent, 'non-private'>>({ because: text }),
});

const charge = byKind<Charge>({
  event: fieldsOf<Named<Charge, 'event'>>({ event: privacyEvent }),
  guarantee: fieldsOf<Named<Charge, 'guarantee'>>({ epsilon: amount, delta: probability, because: text }),
});

const protection = fieldsOf<Protection>({
  unit: oneOf('user', 'rating-presence', 'rating-value'),
  relation: oneOf('add-remove', 'replace'),
});

const paid = { job: text, method: text, note: text };

const rule = byKind<LedgerEvent>({
  account: fieldsOf<Named<LedgerEvent, 'account'>>({ name: text }),
  grant: fieldsOf<Named<LedgerEvent, 'grant'>>({
    epsilon: amount,
    delta: probability,
    protection,
    period: orNull(oneOf(...grantPeriods)),
    note: text,
  }),
  refusal: fieldsOf<Named<LedgerEvent, 'refusal'>>({ note: text }),
  spend: fieldsOf<Named<LedgerEvent, 'spend'>>({ ...paid, protection, charge }),
  unprotected: fieldsOf<Named<LedgerEvent, 'unprotected'>>({
    ...paid,
    why: text,
    protection: orNull(protection),
    charge: orNull(charge),
  }),
  completion: fieldsOf<Named<LedgerEvent, 'completion'>>({ spend: text, note: text }),
  merge: fieldsOf<Named<LedgerEvent, 'merge'>>({ other: text, note: text }),
  different: fieldsOf<Named<LedgerEvent, 'different'>>({ other: text, note: text }),
  loss: fieldsOf<Named<LedgerEvent, 'loss'>>({
    lost: fieldsOf<Extract<LedgerEvent, { kind: 'loss' }>['lost']>({ number: whole, hash: text }),
    note: text,
  }),
});

/**
 * An entry stays for ever, and every later sum reads it: what callers without types made up is not written.
 *
 * @throws TypeError with the field that is missing, or of another kind than it must be
 */
export function checkWritable(event: LedgerEvent): void {
  const fault = rule(event, '', 'open');
  if (fault !== undefined)
    throw new TypeError(
      `This cannot be written to a ledger: ${fault.place} of the ${event.kind} is missing or not of its kind. Nothing was written.`,
    );
}
