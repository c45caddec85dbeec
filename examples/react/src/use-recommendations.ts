import { type DeviceModel, fetchModel, OwnHistory, type Recommendations } from '@hushrec/client';
import { useEffect, useMemo, useState } from 'react';

/**
 * What the component needs: the model's titles, the person's ratings, and the ranking that follows from them.
 */
export interface Recommending {
  readonly model: DeviceModel | undefined;
  readonly error: Error | undefined;
  readonly recommendations: Recommendations | undefined;
  readonly ratingOf: (id: string) => number | undefined;
  readonly rate: (id: string, rating: number | undefined) => void;
}

/**
 * Fetches a published model once and ranks on this device from then on. The history lives in the browser's
 * storage; no request carries any of it.
 */
export function useRecommendations(modelFolder: string, k = 10): Recommending {
  const [model, setModel] = useState<DeviceModel>();
  const [error, setError] = useState<Error>();
  const [history] = useState(() => new OwnHistory());
  const [version, setVersion] = useState(0);

  useEffect(() => {
    const leaving = new AbortController();
    fetchModel(modelFolder, { signal: leaving.signal }).then(setModel, (reason: Error) => {
      if (!leaving.signal.aborted) setError(reason);
    });
    history.onChange(() => setVersion((before) => before + 1), leaving.signal);
    return () => leaving.abort();
  }, [modelFolder, history]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the history is one object; its version says that it changed
  const recommendations = useMemo(
    () => model?.recommender.recommend(history.entries(), { k }),
    [model, history, k, version],
  );
  return {
    model,
    error,
    recommendations,
    ratingOf: (id) => history.ratingOf(id),
    rate: (id, rating) => history.rate(id, rating),
  };
}
