import { useMay } from '@/api';
import { useLocalText } from '@/i18n';
import { ActButton, Icon } from '@/ui';
import type { Creatable } from './descriptor';

interface Props {
  /** The resource of the list. */
  of: { folder: string; create: Creatable };
  onClick: () => void;
}

/** The id of the act that creates a record of a resource. */
export const createId = (folder: string): string => `create/${folder}`;

/** The button that creates a record, for a user with the permission. */
export function CreateButton({ of: { folder, create }, onClick }: Props) {
  const text = useLocalText();
  if (!useMay()(create.permission)) return null;
  return (
    <ActButton id={createId(folder)} hotkey="n" variant="filled" leftSection={<Icon name="plus" />} onClick={onClick}>
      {text(create.label)}
    </ActButton>
  );
}
