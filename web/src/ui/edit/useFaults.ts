import { usePlaceText } from '../feedback/problemText';

/**
 * Validation messages of a form: local checks once the user tried to submit it, and violations in
 * the rejection of the service. An input has the name of its member in the request, or `places`
 * names its members.
 */
export function useFaults<N extends string>(
  { strict, error }: { strict: boolean; error: Error | null },
  names: readonly N[],
  fault: (name: N) => string | false | undefined,
  places: (name: N) => readonly string[] = (name) => [name],
): { wrong: (name: N) => string | undefined; hasInput: (pointer: string) => boolean } {
  const rejected = usePlaceText(error);
  const isWrong = (text: string | false | undefined): text is string => text !== undefined && text !== false;
  return {
    wrong: (name) => [strict && fault(name), ...places(name).map((place) => rejected(`/${place}`))].find(isWrong),
    hasInput: (pointer) => names.some((name) => places(name).some((place) => pointer === `/${place}`)),
  };
}
