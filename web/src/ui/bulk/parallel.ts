/**
 * Calls `act` for each element with at most `atOnce` concurrent calls, and returns the results in
 * order. Rejects with the first failure.
 */
export async function inParallel<T, R>(all: readonly T[], atOnce: number, act: (one: T) => Promise<R>): Promise<R[]> {
  const answers = new Array<R>(all.length);
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < all.length; i = next++) answers[i] = await act(all[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  return answers;
}
