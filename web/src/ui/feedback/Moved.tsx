import { useUser, type PersonName } from '@/api';
import { useFormat, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { useNow } from '../now';
import { Banner } from './Banner';
import { plain } from './plain';

interface Props {
  /** The record as it is now. */
  record: { updatedBy: PersonName; updatedTime: string };
  /** What it is now: "Paid". */
  status: string;
  /** The step of the dialog is still possible. */
  isPossible: boolean;
  /** What is possible now. */
  actions: readonly string[];
}

/** Says in an open dialog that its record went on without it: by whom, to what, and whether the step is still possible. */
export function Moved({ record: { updatedBy, updatedTime }, status, isPossible, actions }: Props) {
  const t = useText(uiMessages);
  const { list, relative } = useFormat();
  const now = useNow();
  const me = useUser().id;
  const title = t('moved', {
    who: updatedBy.id === me ? t('you') : updatedBy.name,
    status: status.toLowerCase(),
    when: relative(updatedTime, now),
  });
  return (
    <Banner tone="warn" title={title}>
      {isPossible ? t('movedAllowed') : actions.length === 0 ? t('movedNothing') : t('movedGone', { actions: list(actions.map(plain)) })}
    </Banner>
  );
}
