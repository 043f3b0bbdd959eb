import { useFieldErrorText } from '../feedback/problemText';

/**
 * Returns the validation messages of a form: those of local checks once the user tried to submit
 * it, and those in the rejection of the service. The name of an input is the member of the request,
 * unless `pointers` returns other members.
 */
export function useFaults<N extends string>(
  { strict, error }: { strict: boolean; error: Error | null },
  names: readonly N[],
  fault: (name: N) => string | false | undefined,
  pointers: (name: N) => readonly string[] = (name) => [name],
): { errorOf: (name: N) => string | undefined; hasInput: (pointer: string) => boolean } {
  const rejected = useFieldErrorText(error);
  const isWrong = (text: string | false | undefined): text is string => text !== undefined && text !== false;
  return {
    errorOf: (name) => [strict && fault(name), ...pointers(name).map((member) => rejected(`/${member}`))].find(isWrong),
    hasInput: (pointer) => names.some((name) => pointers(name).some((member) => pointer === `/${member}`)),
  };
}
