import { Text } from '@mantine/core';
import type { PersonName } from '@/api';
import { Person } from '../Person';
import { When } from '../When';

interface Props {
  record: { updatedTime: string | null; updatedBy: PersonName | null };
  label: string;
  /** What is said of one that nobody changed. */
  untouched: string;
}

/** When a record was changed last, and by whom. */
export function Changed({ record: { updatedTime, updatedBy }, label, untouched }: Props) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {updatedBy === null || updatedTime === null ? (
        untouched
      ) : (
        <>
          {label} <When time={updatedTime} /> · <Person person={updatedBy} />
        </>
      )}
    </Text>
  );
}
