import { Autocomplete, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useLocalText, useText } from '@/i18n';
import { useFaults } from '@/ui';
import { iconNames } from '@/ui/Icon';
import { usePageAt, usePagePaths } from '@/ui/shell/pages';
import { catalogue } from '../queries';
import { isAddress, maxPathLength, maxTitleLength, type MenuFields } from './fields';
import { menuMessages } from './messages';

interface Props {
  value: MenuFields;
  strict: boolean;
  error: Error | null;
  readOnly?: boolean;
  onChange: (change: Partial<MenuFields>) => void;
}

const places = ['title', 'path', 'icon', 'permission', 'hidden'] as const;

/** Whether this form has an input for the JSON Pointer of a validation error. */
export const isMenuInput = (pointer: string): boolean => places.some((place) => pointer === `/${place}`);

/** The inputs of a menu: its title, its target and its audience. */
export function MenuInputs({ value, strict, error, readOnly = false, onChange }: Props) {
  const t = useText(menuMessages);
  const text = useLocalText();
  const page = usePageAt()(value.path);
  const paths = usePagePaths();
  const mayReadCatalogue = useMay()('access:read');
  const { data: permissions = [] } = useQuery({ ...catalogue, enabled: mayReadCatalogue });
  const { errorOf } = useFaults({ strict, error }, places, (name) => {
    if (name === 'title') return value.title.trim() === '' && !value.path.startsWith('/') && t('nameNeeded');
    if (name === 'path') return !isAddress(value.path.trim()) && t('pathWrong');
    return undefined;
  });
  return (
    <Stack gap="md" maw={760}>
      <TextInput
        data-field="title"
        label={t('name')}
        description={page !== undefined && t('nameHint')}
        placeholder={page && t('defaultName', { name: text(page.title) })}
        maxLength={maxTitleLength}
        readOnly={readOnly}
        value={value.title}
        error={errorOf('title')}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
        data-autofocus
      />
      <Autocomplete
        data-field="path"
        label={t('path')}
        description={t('pathHint')}
        data={paths}
        maxLength={maxPathLength}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        readOnly={readOnly}
        value={value.path}
        error={errorOf('path')}
        onChange={(path) => onChange({ path })}
      />
      <NativeSelect
        data-field="icon"
        label={t('icon')}
        disabled={readOnly}
        value={value.icon}
        error={errorOf('icon')}
        data={[{ value: '', label: t('defaultIcon') }, ...[...new Set([...iconNames, ...(value.icon === '' ? [] : [value.icon])])]]}
        onChange={(event) => onChange({ icon: event.currentTarget.value })}
      />
      <Autocomplete
        data-field="permission"
        label={t('permission')}
        description={t('permissionHint')}
        data={permissions.map(({ name }) => name)}
        limit={20}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        readOnly={readOnly}
        value={value.permission}
        error={errorOf('permission')}
        onChange={(permission) => onChange({ permission: permission.trim() })}
      />
      <Checkbox
        data-field="hidden"
        label={t('hiddenLabel')}
        disabled={readOnly}
        checked={value.hidden}
        onChange={(event) => onChange({ hidden: event.currentTarget.checked })}
      />
    </Stack>
  );
}
