import { useUser } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, useNow } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { orderMessages } from './messages';
import type { Order, OrderAction } from './queries';

/** Says in an open dialog that the order went on without it: by whom, to what, and whether the action is still possible. */
export function Moved({ order, action }: { order: Order; action: OrderAction }) {
  const t = useText(orderMessages);
  const format = useFormat();
  const now = useNow();
  const me = useUser().id;
  const ui = useText(uiMessages);
  const { status, updatedBy, updatedTime, allowedTransitions } = order;
  const actions = format.list(allowedTransitions.map((one) => t(one)));
  const title = t('moved', {
    who: updatedBy.id === me ? ui('you') : updatedBy.name,
    status: t(status).toLowerCase(),
    when: format.relative(updatedTime, now),
  });
  return (
    <Banner tone="warn" title={title}>
      {allowedTransitions.includes(action) ? t('movedAllowed') : actions === '' ? t('movedNothing') : t('movedGone', { actions })}
    </Banner>
  );
}
