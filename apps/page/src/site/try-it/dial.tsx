import { percentWords, posteriorOf, shownEpsilon, strengthOf } from '@hushrec/model/words';
import { guaranteeWords } from '../guarantee-words.js';
import type { ModelSummary } from '../server-interface.js';
import type { TryState } from './state.js';

/** "50 → 73%": how sure someone can become who was sure by half. */
function beliefWords({ epsilon }: ModelSummary): string {
  if (epsilon === null) return 'operators only';
  const words = percentWords(posteriorOf(0.5, epsilon));
  return words.startsWith('>') ? words : `50 → ${words}`;
}

/** What the stop that is chosen promises, in a sentence. */
function meaning({ epsilon, simulation }: ModelSummary): string {
  if (epsilon === null) return 'Anyone who has this model may learn anything about anyone in the data.';
  if (simulation) return 'A simulation: it protects nobody.';
  const strength = strengthOf(epsilon);
  const isMuch = strength === 'weak' || strength === 'mostly formal';
  return `Someone who is 50% sure that you are in the data can become at most ${percentWords(posteriorOf(0.5, epsilon))} sure by studying this model.${isMuch ? ` That is ${strength}.` : ''}`;
}

/**
 * One stop for each published model, from no privacy to the strongest: a group of radio buttons on a line, so
 * that arrow keys turn it.
 */
export function Dial({ state, isPublic }: { state: TryState; isPublic: boolean }) {
  const stops = state.stops.value;
  const shown = state.shownId.value;
  const { models } = state.group;
  const rest = models.length - stops.length;
  return (
    <div class="dial-side">
      <fieldset class="dial">
        <legend>How private is the model?</legend>
        <div class="dial-stops">
          {stops.map((model) => (
            <label
              key={model.id}
              class={`stop of-${model.epsilon === null ? 'none' : strengthOf(model.epsilon).replace('mostly ', '')}`}
              aria-busy={state.loadingId.value === model.id}
            >
              <input
                type="radio"
                name="dial"
                value={model.id}
                checked={model.id === shown}
                onChange={() => void state.turnTo(model.id)}
              />
              <i aria-hidden="true" />
              <strong>
                {model.epsilon === null ? 'no privacy' : `ε = ${shownEpsilon(model.epsilon, 2)}`}
              </strong>
              <span class="micro">
                {model.epsilon === null && isPublic ? 'public data' : beliefWords(model)}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="dial-foot">
        <p class="micro dial-meaning">{meaning(state.shown.value)}</p>
        {rest > 0 ? (
          <label class="row small all-models">
            All {models.length} models
            <select value={shown} onChange={({ currentTarget }) => void state.turnTo(currentTarget.value)}>
              {models.map((model) => (
                <option key={model.id} value={model.id} selected={model.id === shown}>
                  {`${model.id}, ${guaranteeWords(model)}`}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
    </div>
  );
}
