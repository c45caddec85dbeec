import { Failure, Icon, Picture } from '../parts/drawn.js';
import { Amount, Segments, switched, typed } from '../parts/fields.js';
import { epsilonRuler } from '../pictures/measures.js';
import type { Run, SettingSummary } from '../server-interface.js';
import { Forecast } from './forecast.js';
import { Promised } from './promised.js';
import { isGoingOn } from './runs-state.js';
import { kindOf, type TrainState } from './train-state.js';

const count = new Intl.NumberFormat('en');

interface Of {
  readonly state: TrainState;
}

/** Five steps at the left; what is promised, and what to expect, at the right. */
export function TrainForm({ state }: Of) {
  const { people, items, ratings } = state.dataset.value;
  return (
    <form class="grid form" noValidate onSubmit={(event) => event.preventDefault()}>
      <div class="card">
        <div class="step">
          <label class="field">
            1. Data
            <select name="dataset" {...typed(state.datasetId)}>
              {state.datasets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name === id ? id : `${id} (${name})`}
                </option>
              ))}
            </select>
          </label>
          <p class="small quiet">
            {`About ${count.format(people)} people, ${count.format(items)} titles, ${count.format(Math.round(ratings / people))} ratings each.`}
          </p>
        </div>
        <WhatFor state={state} />
        <WhoIsProtected state={state} />
        {state.isPrivate.value ? <Epsilon state={state} /> : null}
        <Afterwards state={state} />
        <AllSettings state={state} />
      </div>
      <div>
        <section class="card raised" aria-label="What is promised">
          <Promised state={state} />
          <Start state={state} />
        </section>
        <Forecast state={state} />
      </div>
    </form>
  );
}

/** What a model is for: lists of titles, or how many stars someone would give. */
function WhatFor({ state }: Of) {
  const { min, max } = state.dataset.value.scale;
  return (
    <div class="step">
      <h2 class="sub">2. What for</h2>
      {state.hasStars.value ? (
        <Segments
          label="What for"
          choices={[
            ['rank', 'Rank titles'],
            ['stars', 'Predict stars'],
          ]}
          field={state.goal}
        />
      ) : null}
      <p class="small quiet">
        {!state.hasStars.value
          ? 'Rank titles. This data says what people chose, not how much they liked it.'
          : state.isForStars.value
            ? `Predicts stars from ${min} to ${max}, and ranks titles by them.`
            : 'Learns lists: the more stars, the more a title counts.'}
      </p>
    </div>
  );
}

const kinds = [
  ['user', 'The whole person', 'Everything someone ever rated'],
  ['rating', 'One rating', 'Weaker: habits stay visible'],
  ['none', 'Nobody', 'For comparison only, not to be published'],
] as const;

/** Whole people, single ratings, or nobody: each stands for the method that does it best for the goal. */
function WhoIsProtected({ state }: Of) {
  return (
    <div class="step">
      <h2 class="sub">3. Who is protected</h2>
      <div role="radiogroup" aria-label="Who is protected">
        {kinds.map(([kind, name, note]) => {
          const best = state.bestOf(kind);
          return best === undefined ? null : (
            <label key={kind} class="pick">
              <input
                type="radio"
                name="unit"
                checked={kindOf(state.method.value) === kind}
                onChange={() => {
                  state.methodId.value = { text: best.id };
                }}
              />
              <strong>{name}</strong>
              <span class="small quiet">{note}</span>
            </label>
          );
        })}
      </div>
    </div>
  );
}

/** ε, on the ruler that it slides along. */
function Epsilon({ state: { epsilon } }: Of) {
  const value = Number(epsilon.value.text);
  const shown = value > 0 ? value : 1;
  return (
    <Amount
      label="4. Privacy, ε"
      name="ε"
      field={epsilon}
      min={0.01}
      max={100}
      ends={[0.1, 20]}
      slides="Privacy on the ruler from 0.1 to 20"
      wrong={value > 0 ? undefined : 'ε must be above 0. Smaller protects more; 1 is a good start.'}
    >
      <Picture draw={() => epsilonRuler(shown)} of={[shown]} />
    </Amount>
  );
}

/** What happens once the model is there. */
function Afterwards({ state }: Of) {
  return (
    <>
      <div class="step">
        <label class="row spread">
          <strong>5. Measure quality afterwards</strong>
          <input name="evaluate" {...switched(state.evaluate)} />
        </label>
        <p class="hint">
          Trains once more on 80% of the data as a simulation. The numbers are about people: shown to
          operators, not published.
        </p>
      </div>
      <div class="step">
        <h2 class="sub">When it is done</h2>
        <label class="row spread">
          <strong>Open Try it with the new model</strong>
          <input name="then-try" {...switched(state.thenTry)} />
        </label>
        {state.isPrivate.value ? (
          <>
            <label class="row spread">
              <strong>Publish only if enough titles stand out</strong>
              <input name="publish-rule" {...switched(state.publishes)} />
            </label>
            {state.publishes.value ? (
              <label class="row least">
                at least
                <input
                  name="publish-from"
                  type="number"
                  min={0}
                  step={1}
                  aria-label="Titles that must stand out"
                  {...typed(state.ownLeast, state.least.value)}
                />
                titles
              </label>
            ) : null}
            <p class="hint">
              Decided from released numbers only, so it costs no privacy. Otherwise the model waits for you.
            </p>
          </>
        ) : null}
      </div>
    </>
  );
}

function AllSettings({ state }: Of) {
  const { id: chosen, title, paper, settings } = state.method.value;
  return (
    <details class="step">
      <summary>All settings</summary>
      <label class="field">
        Method
        <select name="method" {...typed(state.methodId, chosen)}>
          {state.methods.map((method) => (
            <option key={method.id} value={method.id} disabled={!state.suits(method)}>
              {`${method.id}: ${method.title}`}
            </option>
          ))}
        </select>
        <span class="hint">{`${title} (${paper}).`}</span>
      </label>
      <label class="field">
        δ
        <input name="delta" type="text" inputMode="decimal" {...typed(state.delta)} />
        <span class="hint">Keep it far below 1 / number of people.</span>
      </label>
      <div class="fields">
        {Object.entries(settings).map(([name, setting]) => (
          <label key={`${chosen} ${name}`} for={`${chosen} ${name}`} class="field">
            {`${name} `}
            <Setting state={state} id={`${chosen} ${name}`} name={name} {...setting} />
            <span class="hint">{setting.description ?? ''}</span>
          </label>
        ))}
      </div>
    </details>
  );
}

/** Only fields that a person changed are sent; the rest follow the method's rules. */
function Setting({ state, id, name, ...setting }: Of & SettingSummary & { id: string; name: string }) {
  const { type, choices = [], min, max } = setting;
  const field = state.setting(name);
  const shown = field.value.text || String(setting.default);
  if (type === 'boolean')
    return (
      <input
        {...{ id, name }}
        type="checkbox"
        checked={shown === 'true'}
        onChange={({ currentTarget }) => {
          field.value = { text: String(currentTarget.checked) };
        }}
      />
    );
  if (type === 'choice')
    return (
      <select {...{ id, name }} {...typed(field, shown)}>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  if (type === 'numbers-by-name')
    return <input {...{ id, name }} placeholder="name:number,name:number" {...typed(field)} />;
  return (
    <input
      {...{ id, name }}
      type="number"
      step={type === 'integer' ? 1 : 'any'}
      min={finite(min)}
      max={finite(max)}
      placeholder={shown}
      {...typed(field)}
    />
  );
}

function finite(bound: number | undefined): number | undefined {
  return bound !== undefined && Number.isFinite(bound) && Math.abs(bound) < 1e15 ? bound : undefined;
}

/** The name, the button, and what came of it. */
function Start({ state }: Of) {
  const isPrivate = state.isPrivate.value;
  const { run, problem } = state.started.value;
  return (
    <>
      {state.ownPlan.value?.isUnprotected ? <OutsideOfBudget state={state} /> : null}
      <label class="field">
        Name of the model
        <input name="model" type="text" autocomplete="off" {...typed(state.ownName, state.name.value)} />
      </label>
      <p class="row">
        <button
          type="button"
          class="primary"
          disabled={state.startable.value === undefined}
          onClick={() => void state.start()}
        >
          {isPrivate ? 'Train with this promise' : 'Train without a promise'}
        </button>
        {isPrivate ? <span class="small quiet">Stopping later does not refund ε.</span> : null}
      </p>
      <p class="small quiet">{tookWords(state)}</p>
      {run === undefined ? null : <p role="status">{`Started ${run.request.model}.`}</p>}
      <Failure of={problem} />
    </>
  );
}

/** What is said where a budget cannot hold the run, and how to make it all the same. */
function OutsideOfBudget({ state }: Of) {
  return (
    <div class="notice warn">
      <p class="row">
        <Icon name="warn" />
        <span>
          <strong>Outside of the budget. </strong>A limit is set for these people, and this run has no finite
          cost in it: nothing bounds what its model may tell about them.
        </span>
      </p>
      <label class="row">
        <input
          type="checkbox"
          name="record-unprotected"
          checked={state.told.value}
          onChange={({ currentTarget }) => state.tell(currentTarget.checked)}
        />
        Make it anyway, and record it in the ledger
      </label>
    </div>
  );
}

/** How long it will take, by the last run like it; nothing while one goes on, which says so itself. */
function tookWords({ list, dataset, method }: TrainState): string {
  const isAlike = ({ request }: Run) =>
    request.dataset === dataset.value.id && request.method === method.value.id;
  const alike = list.runs.value.filter(isAlike);
  if (alike.some(isGoingOn)) return '';
  const last = alike.find(({ status }) => status === 'done');
  if (last === undefined || last.startedAt === null || last.endedAt === null)
    return 'The first run of its kind here: once it trains, it says how long it will take.';
  const seconds = Math.ceil((Date.parse(last.endedAt) - Date.parse(last.startedAt)) / 1000);
  return `The last run like it took ${seconds < 90 ? `${count.format(seconds)} s` : `${count.format(Math.round(seconds / 60))} minutes`}.`;
}
