import { useCallback } from 'react';
import { isProblem, isUnknown, type FieldProblem, type PersonName, type ProblemCode } from '@/api';
import { useFormat, useLanguage, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { refusals, rules, type Given } from './rejections';

/** The service's message about a request or a row: a code, a sentence in English, and the members of the code. */
export interface Said {
  code?: string;
  text: string;
  members?: object;
}

/** The members of the codes that a message may contain. */
interface Carried {
  updatedBy?: PersonName | null;
  changedBy?: PersonName | null;
  conflicts?: unknown[];
  lines?: { sku: string; available: number; wanted: number }[];
  balance?: number;
  wanted?: number;
}

/**
 * Returns the text of a rejection in the current language: in Chinese by its code and members, in
 * English the service's own sentence, which has more details.
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

/** Returns the text of a field's fault in the current language; it follows the name of the field. */
export function useRuleText(): (field: Pick<FieldProblem, 'message'> & { code?: string }) => string {
  const { language } = useLanguage();
  return useCallback(({ code, message }) => (language === 'en' ? message : (rules[code ?? ''] ?? rules.other ?? message)), [language]);
}

/** Returns the text of the fault at a pointer of a rejected request, for its input; undefined if there is none. */
export function usePlaceText(error: unknown): (pointer: string) => string | undefined {
  const rule = useRuleText();
  return (pointer) => {
    const place = isProblem(error) ? error.fields.find((field) => field.pointer === pointer) : undefined;
    return place && rule(place);
  };
}

/** Returns the sentence that the user reads for an error. */
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
