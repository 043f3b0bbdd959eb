import { usePlaceText } from '../feedback/said';

/**
 * What is wrong with the inputs of a form: what can be told without the service, once
 * somebody tried to send it, and what the service refused of them. An input is called
 * as its member of the request, or `places` names its members.
 */
export function useFaults<N extends string>(
  { strict, error }: { strict: boolean; error: Error | null },
  names: readonly N[],
  fault: (name: N) => string | false | undefined,
  places: (name: N) => readonly string[] = (name) => [name],
): { wrong: (name: N) => string | undefined; told: (pointer: string) => boolean } {
  const refused = usePlaceText(error);
  const isWrong = (text: string | false | undefined): text is string => text !== undefined && text !== false;
  return {
    wrong: (name) => [strict && fault(name), ...places(name).map((place) => refused(`/${place}`))].find(isWrong),
    told: (pointer) => names.some((name) => places(name).some((place) => pointer === `/${place}`)),
  };
}
