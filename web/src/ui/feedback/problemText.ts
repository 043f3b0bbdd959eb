import { useCallback } from 'react';
import { isProblem, isUnknown, type FieldProblem, type PersonName, type ProblemCode } from '@/api';
import { useFormat, useLanguage, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { rejections, rules, type MessageMembers } from './rejections';

/** The service's message about a request or a row: a code, a sentence in English, and the members of the code. */
export interface ServiceMessage {
  code?: string;
  text: string;
  members?: object;
}

/** The members of the codes that a message may contain. */
interface CodeMembers {
  updatedBy?: PersonName | null;
  changedBy?: PersonName | null;
  conflicts?: unknown[];
  lines?: { sku: string; available: number; wanted: number }[];
  balance?: number;
  wanted?: number;
  owner?: Readonly<Record<string, { manager: string }>>;
}

/**
 * Returns the text of a rejection in the current language. In English it is the sentence of the
 * service, which has more details; in Chinese it is composed from the code and its members.
 */
export function useRejectionText(): (said: ServiceMessage) => string {
  const { language } = useLanguage();
  const { money, number } = useFormat();
  return useCallback(
    ({ code, text, members = {} }: ServiceMessage) => {
      if (language === 'en' || code === undefined) return text;
      const { updatedBy, changedBy, conflicts, lines, balance, wanted, owner } = members as CodeMembers;
      const [short] = lines ?? [];
      const values: MessageMembers = {
        who: (updatedBy ?? changedBy)?.name,
        n: conflicts && number(conflicts.length),
        sku: short?.sku,
        available: short ? number(short.available) : balance === undefined ? undefined : money(balance),
        wanted: short ? number(short.wanted) : wanted === undefined ? undefined : money(wanted),
        managers: owner && [...new Set(Object.values(owner).map(({ manager }) => manager))].join('、'),
      };
      const message = rejections[code as ProblemCode] as (typeof rejections)[ProblemCode] | undefined;
      return message?.(values) ?? text;
    },
    [language, money, number],
  );
}

/** Returns the message for a fault of a field in the current language, to be displayed after the field's name. */
export function useRuleText(): (field: Pick<FieldProblem, 'message'> & { code?: string }) => string {
  const { language } = useLanguage();
  return useCallback(({ code, message }) => (language === 'en' ? message : (rules[code ?? ''] ?? rules.other ?? message)), [language]);
}

/** Returns the message for the fault at a JSON Pointer in a rejected request, for the input; undefined if there is none. */
export function useFieldErrorText(error: unknown): (pointer: string) => string | undefined {
  const rule = useRuleText();
  return (pointer) => {
    const place = isProblem(error) ? error.fields.find((field) => field.pointer === pointer) : undefined;
    return place && rule(place);
  };
}

/** Returns the text to display for an error. */
export function useProblemText(): (error: unknown) => string {
  const t = useText(uiMessages);
  const rejectionText = useRejectionText();
  return (error) => {
    if (!isProblem(error)) return error instanceof Error ? error.message : String(error);
    if (error.code === 'no_connection') return t('noConnection');
    if (error.code === 'bad_gateway') return t('badGateway', { status: String(error.status) });
    if (isUnknown(error)) return t('outcomeUnknown');
    const wait = error.retryAfter === undefined ? '' : ` ${t('waitSeconds', { n: Math.ceil(error.retryAfter / 1000) })}`;
    return rejectionText({ code: error.code, text: error.message, members: error.as<object>() }) + wait;
  };
}
