import { percentWords, posteriorOf, strengthOf } from '@hushrec/model/words';
import {
  basisWords,
  forecastRange,
  noiseOfRange,
  type PlannedData,
  peopleWords,
  qualityWords,
  referenceRuns,
  standingWords,
} from '@hushrec/planner';
import type { LineChart } from '@hushrec/report';
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { element } from '../build-element.js';
import { chartFigure } from '../parts/chart-figure.js';
import { Icon, Picture } from '../parts/drawn.js';
import { Amount, Segments, type Typed } from '../parts/fields.js';
import { epsilonRuler, standOutStrip } from '../pictures/measures.js';
import { bounds, enoughOf, type Plan, planAddress, planOf } from '../plan-address.js';

const count = new Intl.NumberFormat('en');
const delta = 1e-6;
/** Where the curve is worked out; each place costs some ten milliseconds. */
const curveEpsilons = [0.1, 0.2, 0.5, 1, 2, 4, 8, 20];

const amounts = [
  ['people', 'How many people'],
  ['items', 'How many titles'],
  ['each', 'Ratings a person has'],
  ['epsilon', 'Privacy, ε'],
] as const;

/**
 * Before any data: how many people are needed, and what ε costs. The same functions as `hushrec privacy
 * plan`. The numbers are in the address, so a plan can be kept and sent.
 */
export function planView(place: HTMLElement, asked: string | undefined, signal: AbortSignal): void {
  const body = element('div');
  place.append(
    element('h1', {}, 'How many people do I need?'),
    element(
      'p',
      { class: 'lead' },
      'A forecast from four numbers. Nobody’s data is looked at, and nothing is sent.',
    ),
    body,
  );
  render(<PlanForm first={planOf(asked)} />, body);
  signal.addEventListener('abort', () => render(null, body));
}

function PlanForm({ first }: { first: Plan }) {
  const typed = (name: keyof typeof bounds) => useSignal<Typed>({ text: String(first[name]) });
  const fields = {
    people: typed('people'),
    items: typed('items'),
    each: typed('each'),
    epsilon: typed('epsilon'),
  };
  const goal = useSignal(first.goal);
  /** Nothing while a field is wrong: the last answer would belong to other numbers. */
  const plan = useComputed((): Plan | undefined => {
    if (Object.values(fields).some(({ value }) => value.fault !== undefined)) return undefined;
    const [people, items, each, epsilon] = amounts.map(([name]) => Number(fields[name].value.text));
    return { people, items, each, epsilon, goal: goal.value };
  });
  useSignalEffect(() => {
    if (plan.value !== undefined) history.replaceState(null, '', `#/plan/${planAddress(plan.value)}`);
  });
  const sliders = amounts.map(([name, label]) => {
    const [min, max] = bounds[name];
    const slides = `${label}, by powers of ten`;
    return <Amount key={name} field={fields[name]} {...{ label, min, max, slides }} />;
  });
  return (
    <div class="grid form">
      <form class="card keeps" aria-label="What you know" onSubmit={(event) => event.preventDefault()}>
        {sliders.slice(0, 3)}
        <div class="step">
          <h2 class="sub">What for</h2>
          <Segments
            label="What for"
            choices={[
              ['likes', 'Rank titles'],
              ['ratings', 'Predict stars'],
            ]}
            field={goal}
          />
        </div>
        {sliders[3]}
      </form>
      <div aria-live="polite">{plan.value === undefined ? null : <Answer plan={plan.value} />}</div>
    </div>
  );
}

function Answer({ plan }: { plan: Plan }) {
  const { people, items, each, goal, epsilon } = plan;
  const data: PlannedData = { people, items, ratingsPerPerson: Math.min(each, items), feedback: goal };
  const range = forecastRange(data, epsilon, delta, referenceRuns);
  const enough = enoughOf(people, range);
  return (
    <>
      <section class="card" aria-label="The answer">
        <div class="head">
          <h2>You need about</h2>
          <span class="chip">forecast, no ratings read</span>
        </div>
        <p>
          <span class="figure-big">{peopleWords(range.peopleNeeded)}</span>
          <span class="quiet">{` people at ε = ${epsilon}`}</span>
        </p>
        <p class={`notice row ${enough.tone}`}>
          <Icon name={enough.tone === 'good' ? 'check' : 'warn'} />
          <span>
            <strong>{`You have ${count.format(people)}: ${enough.verdict}. `}</strong>
            {enough.why}
          </span>
        </p>
        <Curve data={data} />
      </section>
      <section class="card">
        <h2>What to expect with the people you have</h2>
        <Picture
          draw={() => standOutStrip(range.shareAboveNoise.low, range.shareAboveNoise.high)}
          of={[plan]}
        />
        <p>{`About ${standingWords(data, range, 'titles')} will stand out from the noise.`}</p>
        <p class="small">{qualityWords(data, range.quality)}</p>
        <p class="small quiet">{noiseOfRange(range)}</p>
        <p class="small quiet">{basisWords(range.basis)}</p>
      </section>
      <section class="card">
        <h2>{`How strong is ε = ${epsilon}?`}</h2>
        <Picture draw={() => epsilonRuler(epsilon)} of={[epsilon]} />
        <p class="small quiet">
          {`A ${strengthOf(epsilon)} promise: 50% sure becomes at most ${percentWords(posteriorOf(0.5, epsilon))} sure.`}
        </p>
      </section>
    </>
  );
}

/** Drawn once nobody has changed anything for a moment. */
function Curve({ data }: { data: PlannedData }) {
  const drawn = useSignal(data);
  useEffect(() => {
    const timer = setTimeout(() => {
      drawn.value = data;
    }, 200);
    return () => clearTimeout(timer);
  }, Object.values(data));
  return <Picture draw={() => chartFigure(peopleNeeded(drawn.value))} of={Object.values(drawn.value)} />;
}

/** People needed against ε, with those there are as a line. */
function peopleNeeded(data: PlannedData): LineChart {
  const points = curveEpsilons.map((epsilon) => {
    const { low, high } = forecastRange(data, epsilon, delta, referenceRuns).peopleNeeded;
    return { x: epsilon, y: Math.sqrt(low * high), low, high };
  });
  return {
    kind: 'line',
    title: 'People needed against ε',
    description: 'The band is what the known catalogues span. Under ε: the most that a 50% guess can become.',
    x: {
      label: 'ε (log scale)',
      scale: 'log',
      ticks: [0.1, 0.3, 1, 3, 8, 20],
      notes: [0.1, 0.3, 1, 3, 8].map((at) => ({ at, text: percentWords(posteriorOf(0.5, at)) })),
    },
    y: { label: 'people needed (log scale)', scale: 'log' },
    series: [{ name: 'needed', points }],
    references: [{ name: `you have ${count.format(data.people)}`, y: data.people }],
    namesAtEnds: true,
  };
}
