import { catalogue } from '@/i18n';

/** Loaded with every page, so only what stands on the page of a record. */
export const recordWorkMessages = catalogue({ open: 'Open a work order' }, { open: '新建工单' });
