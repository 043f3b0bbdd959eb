import { SimpleGrid, Stack, TextInput, type InputWrapperProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { isUsername, maxDisplayNameLength, maxUsernameLength, type UserField, type UserFields } from './fields';
import { userMessages } from './messages';
import { RoleChoices } from './RoleChoices';

interface Props {
  value: UserFields;
  /** The saved roles, as a serialized set. */
  base?: string;
  /** Whether the user is being created: the display name is then optional. */
  isNew?: boolean;
  strict: boolean;
  error: Error | null;
  readOnly?: boolean;
  onChange: (change: Partial<UserFields>) => void;
  /** Rendered between the names and the roles. */
  children?: ReactNode;
}

const fields = ['username', 'displayName', 'roles'] as const satisfies readonly UserField[];
/** Adjacent inputs align, with or without a hint. */
const hintBelow: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];

/** Whether this form has an input for the JSON Pointer of a validation error. */
export const isUserInput = (pointer: string): boolean => fields.some((field) => pointer === `/${field}`);

/** The inputs of a user: names and roles. */
export function UserInputs({ value, base, isNew = false, strict, error, readOnly = false, onChange, children }: Props) {
  const t = useText(userMessages);
  const { errorOf } = useFaults({ strict, error }, fields, (field) => {
    if (field === 'username') return isProblem(error, 'already_exists') ? t('usernameExists') : !isUsername(value.username) && t('usernameWrong');
    return field === 'displayName' && !isNew && value.displayName.trim() === '' && t('displayNameNeeded');
  });
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          data-field="username"
          label={t('username')}
          description={readOnly ? undefined : t('usernameHint')}
          inputWrapperOrder={hintBelow}
          classNames={{ input: 'mono' }}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={maxUsernameLength}
          readOnly={readOnly}
          value={value.username}
          error={errorOf('username')}
          onChange={(event) => onChange({ username: event.currentTarget.value })}
          data-autofocus
        />
        <TextInput
          data-field="displayName"
          label={t('displayName')}
          description={isNew ? t('displayNameHint') : undefined}
          inputWrapperOrder={hintBelow}
          autoComplete="off"
          maxLength={maxDisplayNameLength}
          readOnly={readOnly}
          value={value.displayName}
          error={errorOf('displayName')}
          onChange={(event) => onChange({ displayName: event.currentTarget.value })}
        />
      </SimpleGrid>
      {children}
      <RoleChoices value={value.roles} base={base} error={errorOf('roles')} readOnly={readOnly} onChange={(roles) => onChange({ roles })} />
    </Stack>
  );
}
