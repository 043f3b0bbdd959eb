import { NativeSelect, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { FormDialog, useFaults, useKeyedForm } from '@/ui';
import { TimeInput } from '@/ui/TimeInput';
import { PermissionChoices } from '../PermissionChoices';
import { useAccessRejection } from '../useAccessRejection';
import { UserPicker } from '../users/UserPicker';
import { blankToken, faultOf, hasScopes, isComplete, lifetimes, requestOf, type TokenField, type TokenForm } from './form';
import { tokenMessages } from './messages';
import { createToken, type CreatedToken } from './queries';

interface Props {
  onClose: () => void;
  /** Called with the created token; the parent displays its secret, or that it is lost. */
  onMade: (made: CreatedToken) => void;
}

const maxNameLength = 100;
const fields = ['name', 'scopes', 'expiresTime'] as const satisfies readonly TokenField[];

/**
 * The dialog that creates a token for the current user or, with the permission to manage users, for
 * another user.
 */
export function CreateToken({ onClose, onMade }: Props) {
  const t = useText(tokenMessages);
  const { id, displayName } = useUser();
  const may = useMay();
  const keyed = useKeyedForm<TokenForm & { sentAt: number }, CreatedToken>({
    scope: 'tokens/new',
    title: t('add'),
    topics: ['tokens'],
    open: () => ({ ...blankToken, sentAt: 0 }),
    // The expiry is calculated from this time, so that a retry sends the same expiry.
    seal: (form) => ({ ...form, sentAt: Date.now() }),
    isComplete: (form) => isComplete(form, Date.now()),
    send: (form, key) => createToken(requestOf(form, form.sentAt), key),
    onDone: (made) => {
      onClose();
      onMade(made);
    },
  });
  const { form, change, isFixed } = keyed;
  const { errorOf, hasInput } = useFaults(keyed, fields, (field) => {
    const fault = faultOf(form, field, Date.now());
    return fault !== undefined && t(fault);
  });
  return (
    <FormDialog form={keyed} title={t('add')} confirm={t('create')} size="xl" hasInput={hasInput} renderRejection={useAccessRejection()} onClose={onClose}>
      {may('users:write') && (
        <UserPicker
          label={t('user')}
          description={t('userHint')}
          disabled={isFixed}
          userId={form.userId}
          onChange={(userId) => change({ userId: userId === id ? null : userId })}
        />
      )}
      <Text>{form.userId === null ? t('actsAsYou', { name: displayName }) : t('actsAsAnother')}</Text>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        maxLength={maxNameLength}
        disabled={isFixed}
        value={form.name}
        error={errorOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NativeSelect
          label={t('lasts')}
          disabled={isFixed}
          value={form.lasts}
          data={[...lifetimes.map((days) => ({ value: days, label: t('days', { n: Number(days) }) })), { value: 'other', label: t('otherDay') }]}
          error={form.lasts !== 'other' && errorOf('expiresTime')}
          onChange={(event) => change({ lasts: event.currentTarget.value as TokenForm['lasts'] })}
        />
        {form.lasts === 'other' && (
          <TimeInput label={t('until')} disabled={isFixed} time={form.until} error={errorOf('expiresTime')} onTime={(until) => change({ until })} />
        )}
      </SimpleGrid>
      {form.userId === null && (
        <Radio.Group label={t('rights')} value={form.rights} onChange={(rights) => change({ rights })}>
          <Stack gap="xs" mt={6}>
            <Radio value="chosen" label={t('rightsChosen')} disabled={isFixed} />
            <Radio value="all" label={t('rightsAll')} description={t('rightsAllWarning')} disabled={isFixed} />
          </Stack>
        </Radio.Group>
      )}
      {hasScopes(form) && (
        <PermissionChoices
          set="scopes"
          value={form.scopes}
          forAnother={form.userId !== null}
          error={errorOf('scopes')}
          readOnly={isFixed}
          onChange={(scopes) => change({ scopes })}
        />
      )}
    </FormDialog>
  );
}
