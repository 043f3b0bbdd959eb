import { Text } from '@mantine/core';
import type { PersonName } from '@/api';
import { Person } from '../Person';
import { When } from '../When';

interface Props {
  record: { updatedTime: string | null; updatedBy: PersonName | null };
  label: string;
  /** The text for a record that was never changed. */
  untouched: string;
}

/** The time and the author of the last change of a record. */
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
