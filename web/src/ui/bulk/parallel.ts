/** Does something for each of many, so many at once, and gives the answers in their order; the first failure is that of all. */
export async function inParallel<T, R>(all: readonly T[], atOnce: number, act: (one: T) => Promise<R>): Promise<R[]> {
  const answers = new Array<R>(all.length);
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < all.length; i = next++) answers[i] = await act(all[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  return answers;
}
