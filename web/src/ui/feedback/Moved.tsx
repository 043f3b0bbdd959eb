import { useUser, type PersonName } from '@/api';
import { useFormat, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { useNow } from '../now';
import { Banner } from './Banner';
import { plain } from './plain';

interface Props {
  /** The current record. */
  record: { updatedBy: PersonName; updatedTime: string };
  /** The label of the current status, such as "Paid". */
  status: string;
  /** Whether the step of the dialog is still possible. */
  isPossible: boolean;
  /** The actions that are now possible. */
  actions: readonly string[];
}

/**
 * Shows in an open dialog that the record was changed since the dialog opened: by which user, the
 * new status, and whether the step is still possible.
 */
export function ChangedSinceOpen({ record: { updatedBy, updatedTime }, status, isPossible, actions }: Props) {
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
      {isPossible ? t('movedAllowed') : actions.length === 0 ? t('movedNothing') : t('notPossible', { actions: list(actions.map(plain)) })}
    </Banner>
  );
}
