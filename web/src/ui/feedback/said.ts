import { useCallback } from 'react';
import { isProblem, isUnknown, type FieldProblem, type PersonName, type ProblemCode } from '@/api';
import { useFormat, useLanguage, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { refusals, rules, type Given } from './refusals';

/** What the service says of a request or of a row: a code, a sentence in English, and what the code carries. */
export interface Said {
  code?: string;
  text: string;
  members?: object;
}

/** What codes of the contract carry, as far as it is told. */
interface Carried {
  updatedBy?: PersonName | null;
  changedBy?: PersonName | null;
  conflicts?: unknown[];
  lines?: { sku: string; available: number; wanted: number }[];
  balance?: number;
  wanted?: number;
}

/**
 * Gives a refusal of the service in the language in force: by its code, with what the
 * code carries. The service itself speaks English and says more, so that there it is
 * quoted.
 */
export function useRefusalText(): (said: Said) => string {
  const { language } = useLanguage();
  const { money, number } = useFormat();
  return useCallback(
    ({ code, text, members = {} }: Said) => {
      if (language === 'en' || code === undefined) return text;
      const { updatedBy, changedBy, conflicts, lines, balance, wanted } = members as Carried;
      const [short] = lines ?? [];
      const given: Given = {
        who: (updatedBy ?? changedBy)?.name,
        n: conflicts && number(conflicts.length),
        sku: short?.sku,
        available: short ? number(short.available) : balance === undefined ? undefined : money(balance),
        wanted: short ? number(short.wanted) : wanted === undefined ? undefined : money(wanted),
      };
      const words = refusals[code as ProblemCode] as (typeof refusals)[ProblemCode] | undefined;
      return words?.(given) ?? text;
    },
    [language, money, number],
  );
}

/** Gives what is wrong with one place of a request in the language in force; it follows the name of the place. */
export function useRuleText(): (field: Pick<FieldProblem, 'message'> & { code?: string }) => string {
  const { language } = useLanguage();
  return useCallback(({ code, message }) => (language === 'en' ? message : (rules[code ?? ''] ?? rules.other ?? message)), [language]);
}

/** Gives what is wrong with a place of a refused request, for the input that holds it; undefined when nothing is. */
export function usePlaceText(error: unknown): (pointer: string) => string | undefined {
  const rule = useRuleText();
  return (pointer) => {
    const place = isProblem(error) ? error.fields.find((field) => field.pointer === pointer) : undefined;
    return place && rule(place);
  };
}

/** Turns an error into the sentence that a person reads. */
export function useProblemText(): (error: unknown) => string {
  const t = useText(uiMessages);
  const say = useRefusalText();
  return (error) => {
    if (!isProblem(error)) return error instanceof Error ? error.message : String(error);
    if (error.code === 'no_connection') return t('noConnection');
    if (error.code === 'bad_gateway') return t('badGateway', { status: String(error.status) });
    if (isUnknown(error)) return t('outcomeUnknown');
    const wait = error.retryAfter === undefined ? '' : ` ${t('waitSeconds', { n: Math.ceil(error.retryAfter / 1000) })}`;
    return say({ code: error.code, text: error.message, members: error.as<object>() }) + wait;
  };
}
