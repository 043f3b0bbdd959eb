import { useText } from '@/i18n';
import { actionMessages } from './actions';
import { auditMessages } from './messages';

type Key = keyof (typeof actionMessages)['en'];

const isKey = (text: string): text is Key => text in actionMessages.en;

/**
 * Says what was done, "order.pay": as a whole, or the verb alone where the record stands
 * beside it. What has no words is named as the service names it.
 */
export function useActionText(): { whole: (action: string) => string; verb: (action: string) => string } {
  const t = useText(actionMessages);
  const audit = useText(auditMessages);
  const partsOf = (action: string) => action.split('.') as [noun?: string, verb?: string];
  return {
    whole: (action) => {
      const [noun = '', verb = ''] = partsOf(action);
      const [as, did, a] = [`whole_${noun}_${verb}`, `did_${verb}`, `a_${noun}`];
      if (isKey(as)) return t(as);
      return isKey(did) && isKey(a) ? audit('deed', { verb: t(did), noun: t(a) }) : action;
    },
    verb: (action) => {
      const did = `did_${partsOf(action)[1] ?? ''}`;
      return isKey(did) ? t(did) : action;
    },
  };
}
