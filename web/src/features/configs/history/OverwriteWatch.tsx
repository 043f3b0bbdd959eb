import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useLive, useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { useToasts } from '@/ui/feedback/toasts';
import { overwriteMessages } from './overwriteMessages';

/** Notifies the user on any page when another user has overwritten their change. Renders nothing. */
export function OverwriteWatch() {
  const t = useText(overwriteMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const me = useUser().id;
  const may = useMay()('configs:read');
  const look = async (key: string) => {
    // Loaded on demand; most pages never need it.
    const [{ overwrittenOf }, { configHistory }] = await Promise.all([import('./overwritten'), import('../queries')]);
    const { pages } = await queries.infiniteQuery({ ...configHistory(key), staleTime: 0 });
    const overwritten = overwrittenOf(pages[0]?.items ?? [], me);
    if (overwritten === undefined) return;
    const { by } = overwritten;
    const said = { who: by.changedBy.name, key };
    const labels = by.note === '' ? t('overwrote', said) : t('overwroteWithReason', { ...said, why: by.note });
    toasts.warn(labels, t('show'), () => void navigate({ to: '/configs/$key', params: { key } }));
  };
  useLive('configs', ({ key, payload: { action, changedBy } }) => {
    const who = (changedBy as { id?: number } | undefined)?.id;
    // A failure is ignored: the page of the config also shows the overwritten change.
    if (may && action === 'overwrite' && who !== me) look(key).catch(() => undefined);
  });
  return null;
}
