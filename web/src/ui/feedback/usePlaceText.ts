import { isProblem } from '@/api';
import { useRuleText } from './said';

/** Gives what is wrong with a place of a refused request, for the input that holds it; undefined when nothing is. */
export function usePlaceText(error: unknown): (pointer: string) => string | undefined {
  const rule = useRuleText();
  return (pointer) => {
    const place = isProblem(error) ? error.fields.find((field) => field.pointer === pointer) : undefined;
    return place && rule(place);
  };
}
