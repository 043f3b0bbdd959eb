import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Role = components['schemas']['Role'];
export type RoleTerms = components['schemas']['RoleCreate'];
export type RoleSearch = TableSearch;

export const { list: readRoles, one: oneRole, history: roleHistory, create: createRole, edit: editRole, remove: deleteRole } = resource('/api/v1/roles');
