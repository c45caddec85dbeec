import { useRecommendations } from './use-recommendations.js';

const grades = [1, 2, 3, 4, 5];

/** A ranking that changes with every rating, computed in this tab. */
export function RecommendedForYou({ modelFolder }: { modelFolder: string }) {
  const { model, error, recommendations, ratingOf, rate } = useRecommendations(modelFolder);
  if (error) return <p role="alert">{error.message}</p>;
  if (!model || !recommendations) return <p role="status">Loading …</p>;
  const { epsilon, unit } = model.published.certificate;
  return (
    <section aria-labelledby="recommended">
      <h1 id="recommended">Recommended for you</h1>
      <p>
        {epsilon === null
          ? 'This model gives no privacy guarantee.'
          : `Trained with ε = ${epsilon} per ${unit}.`}
      </p>
      <ol>
        {recommendations.items.map(({ id, title, because }) => (
          <li key={id}>
            {title ?? id}{' '}
            {grades.map((grade) => (
              <button
                key={grade}
                type="button"
                aria-label={`Rate ${title ?? id} ${grade} of 5`}
                aria-pressed={ratingOf(id) === grade}
                onClick={() => rate(id, grade)}
              >
                {grade}
              </button>
            ))}
            {because[0] && <small> because you rated {because[0].title ?? because[0].id}</small>}
          </li>
        ))}
      </ol>
    </section>
  );
}
