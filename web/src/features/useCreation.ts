import { useDisclosure } from '@mantine/hooks';
import type { Raw, TableSearch, TableState } from '@/ui/table';

/** The dialog of a list that creates a record. A link opens it with `create` in the address. */
export function useCreation<S extends TableSearch & { create?: boolean }>({ search, set }: TableState<S>) {
  const [isOpen, { open, close }] = useDisclosure(search.create === true);
  return {
    isOpen,
    open,
    close: () => {
      close();
      if (search.create !== undefined) set({ create: undefined } as Partial<Raw<S>>);
    },
  };
}
