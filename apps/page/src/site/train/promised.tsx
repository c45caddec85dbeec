import { exceptionSentence, promiseParts, shownEpsilon, strengthOf } from '@hushrec/model/words';
import type { PrivacyUnit } from '@hushrec/privacy';
import { formatNumber } from '@hushrec/report';
import { largestThatFits } from '../budget-plan.js';
import { Failure, Notice, Picture } from '../parts/drawn.js';
import { promiseLine } from '../parts/promise-line.js';
import { releaseTable } from '../parts/release-table.js';
import { sameAtOtherDelta } from '../parts/same-at-other-delta.js';
import type { PlanPreview } from '../server-interface.js';
import { exceedsBudget, type TrainState } from './train-state.js';

/**
 * What a run would promise, what that leaves of the budget, and the releases it rests on. While the plan of
 * what is filled in now is on its way, the one before is grey.
 */
export function Promised({ state }: { state: TrainState }) {
  const fault = state.fault.value;
  const problem = state.problem.value;
  const plan = (fault ?? problem === undefined) ? state.planned.value?.answer : undefined;
  const isOther = plan !== undefined && state.ownPlan.value === undefined;
  return (
    <div aria-live="polite" aria-busy={isOther} class={isOther ? 'of-before' : ''}>
      {fault === undefined ? (
        <Failure of={problem} />
      ) : (
        <Notice>{`This run is not possible. ${fault}`}</Notice>
      )}
      {plan === undefined ? null : <Plan state={state} plan={plan} />}
    </div>
  );
}

function Plan({ state, plan }: { state: TrainState; plan: PlanPreview }) {
  const { epsilon, delta, releases } = plan;
  const parts = promiseParts({ unit: plan.unit as PrivacyUnit, epsilon });
  return (
    <>
      <p class="micro">The promise you are about to make</p>
      {parts === undefined ? (
        <p class="promise of-plan">No privacy: nobody is protected.</p>
      ) : (
        <Picture draw={() => promiseLine(parts, 'promise of-plan')} of={parts} />
      )}
      <p class="row">
        <span class={`chip ${epsilon === null ? 'none' : strengthOf(epsilon).replace('mostly ', '')}`}>
          {epsilon === null ? 'no privacy' : `ε = ${shownEpsilon(epsilon)}, δ = ${formatNumber(delta)}`}
        </span>
        {epsilon === null ? null : <span class="small quiet">{exceptionSentence(delta)}</span>}
      </p>
      <Budget state={state} plan={plan} />
      <details>
        <summary>In full, release by release</summary>
        {plan.words.map((sentence) => (
          <p key={sentence} class="small">
            {sentence}
          </p>
        ))}
        {releases.length === 0 ? (
          <p class="small quiet">No noised releases.</p>
        ) : (
          <Picture draw={() => releaseTable(releases, 'Planned releases')} of={[releases]} />
        )}
      </details>
    </>
  );
}

/** What is left of the data set's budget after this run; the server says so when a ledger keeps one. */
function Budget({ state, plan }: { state: TrainState; plan: PlanPreview }) {
  const { budget } = plan;
  // The form asks what to do then.
  if (budget === null || plan.isUnprotected) return null;
  const { granted, spent, after, delta } = budget;
  if (granted === null)
    return (
      <p class="small quiet">
        {`No limit is set. All runs together would cost ε = ${shownEpsilon(after, 3)}.${otherDelta(plan)}`}
      </p>
    );
  if (!exceedsBudget(plan))
    return (
      <p class="notice good">
        {`Account after this run: ${shownEpsilon(spent, 3)} → ${shownEpsilon(after, 3)} of ${shownEpsilon(granted)}.${otherDelta(plan)}`}
      </p>
    );
  const fitting = spent === null ? 0 : largestThatFits({ spent, granted, delta }, plan.delta);
  return (
    <div class="notice bad">
      <p>
        <strong>This run would be refused. </strong>
        {`It would bring the account to ε = ${shownEpsilon(after, 3)}; the grant is ${shownEpsilon(granted)}. `}
        {fitting > 0 ? `Up to ε = ${fitting} fits today.` : 'Nothing more fits.'}
        {otherDelta(plan)}
      </p>
      <p class="row">
        {fitting > 0 ? (
          <button
            type="button"
            onClick={() => {
              state.epsilon.value = { text: String(fitting) };
            }}
          >
            {`Use ε = ${fitting}`}
          </button>
        ) : null}
        <a class="button" href="#/ledger">
          To the grant
        </a>
      </p>
    </div>
  );
}

/** Why the account moves by another number than the run promises, where its δ is another one. */
function otherDelta({ budget, epsilon, delta }: PlanPreview): string {
  if (budget === null || budget.own === null || epsilon === null || budget.delta === delta) return '';
  return ` ${sameAtOtherDelta({ epsilon, delta }, { epsilon: budget.own, delta: budget.delta })}`;
}
