import { Stack, TextInput } from '@mantine/core';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { PermissionChoices } from '../PermissionChoices';
import { maxNameLength, type RoleFields } from './fields';
import { roleMessages } from './messages';

interface Props {
  value: RoleFields;
  /** The saved permissions, as a serialized set. */
  base?: string;
  strict: boolean;
  error: Error | null;
  readOnly?: boolean;
  onChange: (change: Partial<RoleFields>) => void;
}

/** Whether this form has an input for the JSON Pointer of a validation error. */
export const isRoleInput = (pointer: string): boolean => pointer === '/name' || pointer === '/permissions';

/** The inputs of a role: its name and its permissions. */
export function RoleInputs({ value, base, strict, error, readOnly = false, onChange }: Props) {
  const t = useText(roleMessages);
  const { errorOf } = useFaults({ strict, error }, ['name', 'permissions'], (name) => {
    if (name === 'name') return isProblem(error, 'already_exists') ? t('nameExists') : value.name.trim() === '' && t('nameNeeded');
    return undefined;
  });
  return (
    <Stack gap="md">
      <TextInput
        data-field="name"
        label={t('name')}
        maw={760}
        maxLength={maxNameLength}
        readOnly={readOnly}
        value={value.name}
        error={errorOf('name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        data-autofocus
      />
      <PermissionChoices
        set="permissions"
        value={value.permissions}
        base={base}
        error={errorOf('permissions')}
        readOnly={readOnly}
        onChange={(permissions) => onChange({ permissions })}
      />
    </Stack>
  );
}
