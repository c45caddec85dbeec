import type { RatingRange } from '@hushrec/model';
import type { Reason, Recommendations } from '@hushrec/recommend';
import { element } from '../build-element.js';
import { guaranteeChip } from '../guarantee-words.js';
import type { LoadedModel } from '../model-library.js';
import type { OwnHistory } from '../own-history.js';
import { failure } from './states.js';

const topK = 10;
const basisWords = {
  history: 'Ranked for you from your ratings.',
  popularity: 'You have not rated anything yet: most popular first, from the published noisy counts.',
  'item-means': 'You have not rated anything yet: items ranked by their own mean.',
} as const;

/** One column per model, computed now; also a sentence for screen readers. */
export function recommendationColumns(
  models: readonly LoadedModel[],
  history: OwnHistory,
  titleOf: ReadonlyMap<string, string>,
): { readonly columns: HTMLElement[]; readonly summary: string } {
  const answers = models.map(({ recommender }) => {
    try {
      return recommender.recommend(history.entries(), { k: topK });
    } catch (error) {
      return error as Error;
    }
  });
  const given = answers.filter((answer): answer is Recommendations => !(answer instanceof Error));
  const inAll = given.length < 2 ? new Set<string>() : commonItems(given);
  const openAnswer = answers[models.findIndex(({ summary }) => summary.epsilon === null)];
  const withoutPrivacy =
    openAnswer === undefined || openAnswer instanceof Error
      ? undefined
      : new Set(openAnswer.items.map(({ id }) => id));
  const columns = models.map((model, index) => {
    const answer = answers[index]!;
    return answer instanceof Error
      ? element('section', { class: 'card' }, element('h2', {}, model.summary.id), failure(answer))
      : column(model, answer, { inAll, withoutPrivacy }, titleOf, history);
  });
  const names = given[0]?.items.slice(0, 3).map(({ title, id }) => title ?? id);
  return { columns, summary: names === undefined ? '' : `Recommendations updated: ${names.join(', ')} …` };
}

function column(
  { summary, published }: LoadedModel,
  answer: Recommendations,
  { inAll, withoutPrivacy }: { inAll: ReadonlySet<string>; withoutPrivacy: ReadonlySet<string> | undefined },
  titleOf: ReadonlyMap<string, string>,
  history: OwnHistory,
): HTMLElement {
  const digits = published.model.feedback === 'explicit' ? 1 : 2;
  const entries = answer.items.map(({ id, score, because }) =>
    element(
      'li',
      { class: inAll.has(id) ? 'shared' : '', 'data-item': id },
      element('span', { class: 'item-title' }, titleOf.get(id) ?? id),
      element('span', { class: 'score' }, answer.basis === 'history' ? score.toFixed(digits) : ''),
      because.length === 0
        ? null
        : element(
            'span',
            { class: 'because' },
            reasonWords(because.slice(0, 2), history, published.manifest.scale, titleOf),
          ),
    ),
  );
  const unknown = answer.unknown.length;
  return element(
    'section',
    { class: 'card', 'aria-label': `Recommendations of ${summary.id}` },
    element('h2', {}, summary.id),
    element(
      'p',
      { class: 'row' },
      guaranteeChip(summary),
      element(
        'a',
        { class: 'small', href: `#/certificate/${encodeURIComponent(summary.id)}` },
        'Certificate',
      ),
    ),
    element(
      'p',
      { class: 'small quiet' },
      basisWords[answer.basis],
      summary.epsilon !== null && withoutPrivacy !== undefined
        ? ` ${answer.items.filter(({ id }) => withoutPrivacy.has(id)).length} of ${answer.items.length} are also recommended without privacy.`
        : '',
      inAll.size > 0 ? ` ● in all columns (${inAll.size}).` : '',
    ),
    element('ol', { class: 'ranking' }, entries),
    unknown > 0
      ? element(
          'p',
          { class: 'small quiet' },
          `${unknown} of your ratings are of items this model does not know.`,
        )
      : null,
  );
}

/** Contributions add up to the score; a low rating of something unlike the item adds to it too. */
function reasonWords(
  reasons: readonly Reason[],
  history: OwnHistory,
  scale: RatingRange | undefined,
  titleOf: ReadonlyMap<string, string>,
): string {
  const middle = scale === undefined ? Number.NEGATIVE_INFINITY : (scale.min + scale.max) / 2;
  const words = reasons.map(({ id }) => {
    const isLiked = (history.ratingOf(id) ?? middle) >= middle;
    return `${isLiked ? 'liked' : 'did not like'} ${titleOf.get(id) ?? id}`;
  });
  return `because you ${words.join(' and ')}`;
}

function commonItems(answers: readonly Recommendations[]): Set<string> {
  const [first, ...others] = answers.map(({ items }) => new Set(items.map(({ id }) => id)));
  return new Set([...first!].filter((id) => others.every((each) => each.has(id))));
}
