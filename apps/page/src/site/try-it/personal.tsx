import { enoughWords, isTooNoisy, knownPeople } from '@hushrec/model/usefulness';
import { isUseful } from '../published-now.js';
import { listLength, type TryState } from './state.js';

const count = new Intl.NumberFormat('en');

/** How many rows of the list are the person's own: a figure, a bar and a sentence. */
export function HowPersonal({ state }: { state: TryState }) {
  const list = state.list.value;
  const rows = list?.rows.length ?? listLength;
  const own = state.personal.value;
  const known = rows - state.noisy.value.size;
  return (
    <div class="how-personal">
      <p class="micro">How personal your list is</p>
      <p class="figure-big">
        {own} of {rows}
      </p>
      <div
        class="stand-out dotted"
        role="img"
        aria-label={`${own} of ${rows} rows come from your ratings.`}
        ref={(bar) => {
          bar?.style.setProperty('--share', `${(100 * known) / Math.max(1, rows)}%`);
          bar?.style.setProperty('--sure', `${(100 * own) / Math.max(1, known)}%`);
        }}
      />
      <p class="micro">{personalWords(state, own, rows)}</p>
    </div>
  );
}

function personalWords(state: TryState, own: number, rows: number): string {
  if (state.rated.value.length === 0)
    return 'So far this is what most people like. Rate a title, and it becomes yours.';
  const rest = rows - own;
  if (rest === 0) return 'Every row is there because of your ratings.';
  const anyway = `${rest === rows ? 'All' : rest} ${rest === 1 ? 'is' : 'are'} what most people like`;
  const lost = state.noisy.value.size;
  const noisy =
    lost === 0
      ? ' anyway'
      : lost < rest
        ? `, ${lost} of them because noise outweighs your taste`
        : `, because noise outweighs your taste ${rest === 1 ? 'there' : 'in them'}`;
  return own === 0 ? `${anyway}${noisy}.` : `rows are there because of your ratings; ${anyway}${noisy}.`;
}

/** Where noise rules: what that means, and the next better model. */
export function TooNoisy({ state, heading }: { state: TryState; heading: 'h2' | 'h3' }) {
  const list = state.list.value;
  if (list === undefined) return null;
  const { certificate } = list.model.published;
  const { usefulness, epsilon, delta } = certificate;
  if (usefulness === undefined || !isTooNoisy(usefulness)) return null;
  const { itemsAboveNoise, items } = usefulness;
  const better = state.stops.value.toReversed().find((model) => model.epsilon !== null && isUseful(model));
  const Heading = heading;
  const standing =
    itemsAboveNoise === 0
      ? `None of ${count.format(items)} titles stands out from the noise`
      : `Only ${count.format(itemsAboveNoise)} of ${count.format(items)} titles ${itemsAboveNoise === 1 ? 'stands' : 'stand'} out from the noise`;
  return (
    <div class="too-noisy">
      <div class="dotted" />
      <Heading>Too noisy to be personal</Heading>
      <p class="small quiet">
        {`${standing}${epsilon === null ? '' : ` at ε = ${epsilon}`}. So this is what most people like, the same for everyone. ${enoughWords(usefulness, epsilon, delta, knownPeople(certificate)) ?? ''}`}
      </p>
      {better === undefined ? null : (
        <button type="button" class="primary" onClick={() => void state.turnTo(better.id)}>
          {`Use ${better.id}`}
        </button>
      )}
    </div>
  );
}
