import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { useRefusalText } from './said';

/** Turns an error into the sentence that a person reads. */
export function useProblemText(): (error: unknown) => string {
  const t = useText(uiMessages);
  const say = useRefusalText();
  return (error) => {
    if (!isProblem(error)) return error instanceof Error ? error.message : String(error);
    if (error.code === 'no_connection') return t('noConnection');
    if (error.isOutcomeUnknown) return t('outcomeUnknown');
    const wait = error.retryAfter === undefined ? '' : ` ${t('waitSeconds', { n: Math.ceil(error.retryAfter / 1000) })}`;
    return say({ code: error.code, text: error.message }) + wait;
  };
}
