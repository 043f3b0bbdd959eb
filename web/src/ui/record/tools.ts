import { createContext, type ComponentType } from 'react';

/** What is offered on the page of every record, after what can be done with the record itself. */
export const RecordTools = createContext<ComponentType<{ resource: string }> | undefined>(undefined);
