import {
  basisWords,
  forecastRange,
  forecastWords,
  type PlannedData,
  qualityOverEpsilon,
  referenceRuns,
} from '@hushrec/planner';
import { useMemo } from 'preact/hooks';
import { Picture } from '../parts/drawn.js';
import { fittedChart } from '../parts/fitted-chart.js';
import { forecastChart } from '../pictures/forecast-chart.js';
import { standOutStrip } from '../pictures/measures.js';
import type { TrainState } from './train-state.js';

const count = new Intl.NumberFormat('en');
const curveEpsilons = Array.from({ length: 24 }, (_, at) => 0.1 * 200 ** (at / 23));

/** What can be expected of a model before any rating is read: quality against ε, and what stands out. */
export function Forecast({ state }: { state: TrainState }) {
  const asks = state.calm.value;
  const { epsilon, delta } = asks ?? {};
  if (asks?.method !== 'hush' || epsilon === undefined || delta === undefined) return null;
  return <Expected state={state} epsilon={epsilon} delta={delta} isForStars={asks.goal === 'stars'} />;
}

interface ExpectedProps {
  readonly state: TrainState;
  readonly epsilon: number;
  readonly delta: number;
  readonly isForStars: boolean;
}

function Expected({ state, epsilon, delta, isForStars }: ExpectedProps) {
  const { people, items, ratings, counted } = state.dataset.value;
  const feedback = isForStars ? 'ratings' : 'likes';
  const { data, range, curve } = useMemo(() => {
    const counts = counted.find((each) => each.feedback === feedback);
    const data: PlannedData = {
      people,
      items,
      ratingsPerPerson: Math.min(items, ratings / people),
      feedback,
      ...(counts && { counts }),
    };
    const range = forecastRange(data, epsilon, delta, referenceRuns);
    const curve = qualityOverEpsilon(data, curveEpsilons, delta, referenceRuns).map((quality, at) => ({
      epsilon: curveEpsilons[at],
      ...quality,
    }));
    return { data, range, curve };
  }, [state.dataset.value, feedback, epsilon, delta]);
  const start = isForStars ? 'one average for all' : 'bestseller list';
  return (
    <section class="card" aria-label="What to expect" aria-live="polite">
      <div class="head">
        <h2>What to expect</h2>
        <span class="chip">forecast, no ratings read</span>
      </div>
      <p class="small quiet">
        {`Quality against ε, for about ${count.format(people)} people with ${count.format(Math.round(data.ratingsPerPerson))} ratings each.`}
      </p>
      <Picture
        draw={() => fittedChart(forecastChart(curve, { epsilon, ...range.quality }, start), 260)}
        of={[curve]}
      />
      <Picture
        draw={() => standOutStrip(range.shareAboveNoise.low, range.shareAboveNoise.high)}
        of={[range]}
      />
      {forecastWords(data, range).map((line) => (
        <p key={line} class="small">
          {line}
        </p>
      ))}
      <p class="small quiet">{basisWords(range.basis)}</p>
    </section>
  );
}
