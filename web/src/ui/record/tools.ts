import { createContext, type ComponentType } from 'react';

/** The additional tools on the page of every record, after the record's actions. */
export const RecordTools = createContext<ComponentType<{ resource: string }> | undefined>(undefined);
