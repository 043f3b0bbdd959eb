import { nounOf } from '@/features/resources';
import { isTextOf, useLocalText, useText } from '@/i18n';
import { actionMessages } from './actions';
import { auditMessages } from './messages';

type Key = keyof (typeof actionMessages)['en'];

const isKey = (text: string): text is Key => isTextOf(actionMessages, text);

/** The key of the text for a verb, with the noun if there is such a text. */
const didOf = (noun: string, verb: string): Key | undefined => [`did_${noun}_${verb}`, `did_${verb}`].find(isKey);

/**
 * Returns the text of an action such as "order.pay": with the noun, or only the verb if the record
 * is displayed next to it. An action without a text is displayed by its name.
 */
export function useActionText(): { whole: (action: string) => string; verb: (action: string) => string } {
  const t = useText(actionMessages);
  const audit = useText(auditMessages);
  const text = useLocalText();
  const partsOf = (action: string) => action.split('.') as [noun?: string, verb?: string];
  return {
    whole: (action) => {
      const [noun = '', verb = ''] = partsOf(action);
      const [as, did, one] = [`whole_${noun}_${verb}`, didOf(noun, verb), nounOf(noun)];
      if (isKey(as)) return t(as);
      return did !== undefined && one !== undefined ? audit('deed', { verb: t(did), noun: text(one) }) : action;
    },
    verb: (action) => {
      const [noun = '', verb = ''] = partsOf(action);
      const did = didOf(noun, verb);
      return did === undefined ? action : t(did);
    },
  };
}
