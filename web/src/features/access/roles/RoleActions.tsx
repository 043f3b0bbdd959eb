import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isProblem, useMay, versionConflict } from '@/api';
import { useFormat, useText } from '@/i18n';
import { ActButton, useConfirm, useKeyedAction, useToasts, stepKeys } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { accessMessages } from '../messages';
import { readUsers } from '../users/queries';
import { CreateRole } from './CreateRole';
import { readFields, termsOf } from './fields';
import { roleMessages } from './messages';
import { createRole, deleteRole, oneRole, type Role, type RoleTerms } from './queries';

/** The maximum number of users named when a role cannot be deleted. */
const named = 5;

/** Copies and deletes a role. */
export function RoleActions({ role }: { role: Role }) {
  const t = useText(roleMessages);
  const [copying, { open, close }] = useDisclosure();
  const { remove, isSending, isUnknown } = useRemove(role);
  if (!useMay()('access:write')) return null;
  return (
    <>
      <ActButton hotkey={stepKeys.copy} onClick={open}>
        {t('copy')}
      </ActButton>
      <ActButton color="bad" variant="subtle" loading={isSending} disabled={isUnknown} onClick={() => void remove()}>
        {t('remove')}
      </ActButton>
      {copying && <CreateRole copy={{ of: role.id, fields: { ...readFields(role), name: t('copyOf', { name: role.name }) } }} onClose={close} />}
    </>
  );
}

/** Deletes the role. If users have it, names them. */
function useRemove(role: Role): { remove: () => Promise<void>; isSending: boolean; isUnknown: boolean } {
  const t = useText(roleMessages);
  const access = useText(accessMessages);
  const ui = useText(uiMessages);
  const { list } = useFormat();
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const seesUsers = useMay()('users:read');
  const { id, name, etag } = role;
  const explainUse = async () => {
    const holders = seesUsers ? await readUsers({ role: name, limit: named }).catch(() => undefined) : undefined;
    const names = list((holders?.items ?? []).map(({ displayName, username }) => `${displayName} (${username})`));
    const more = (holders?.total ?? 0) - (holders?.items.length ?? 0);
    const body = (
      <>
        {t('inUseHint')} {names !== '' && (more > 0 ? t('inUseMore', { names, n: more }) : t('inUseBy', { names }))}
      </>
    );
    const confirm = seesUsers ? t('showHolders') : ui('understood');
    const answer = await ask({ title: t('inUse', { name }), body, confirm });
    if (answer !== undefined && seesUsers) void navigate({ to: '/users', search: { role: name } });
  };
  const restore = useKeyedAction<RoleTerms, Role>({
    scope: `roles/${id}/restore`,
    title: `${t('restore')} · ${name}`,
    topics: ['roles'],
    send: createRole,
    onDone: () => toasts.done(t('restored', { name })),
  });
  const remove = useKeyedAction({
    scope: `roles/${id}/remove`,
    title: `${t('remove')} · ${name}`,
    send: (guard: string) => deleteRole(id, guard),
    onDone: async () => {
      toasts.done(t('removed', { name }), () => restore.run(termsOf(readFields(role))));
      await navigate({ to: '/roles' });
      queries.removeQueries({ queryKey: oneRole(id).queryKey });
      await queries.invalidateQueries({ queryKey: ['roles', 'list'] });
    },
    onRejected: async (error) => {
      const conflict = versionConflict<Role>(error);
      if (isProblem(error, 'in_use')) void explainUse();
      else if (conflict === undefined) toasts.failed(error);
      else toasts.info(access('changedMeanwhile', { who: conflict.updatedBy.name, name }));
      await queries.invalidateQueries({ queryKey: ['roles'] });
    },
  });
  return {
    isSending: remove.outcome === 'sending',
    isUnknown: remove.outcome === 'unknown',
    remove: async () => {
      const sure = await ask({ title: t('removeQuestion', { name }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' });
      if (sure !== undefined) remove.run(etag);
    },
  };
}
