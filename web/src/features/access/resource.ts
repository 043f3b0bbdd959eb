import type { Descriptor } from '../descriptor';

export const userResource = {
  noun: 'user',
  folder: 'users',
  label: { en: 'User', zh: '用户' },
  one: { en: 'a user', zh: '用户' },
  create: { label: { en: 'New user', zh: '新建用户' }, permission: 'users:write' },
} as const satisfies Descriptor;
export const roleResource = {
  noun: 'role',
  folder: 'roles',
  label: { en: 'Role', zh: '角色' },
  one: { en: 'a role', zh: '角色' },
  create: { label: { en: 'New role', zh: '新建角色' }, permission: 'access:write' },
  deleted: { name: 'unique' },
} as const satisfies Descriptor;
export const menuResource = {
  noun: 'menu',
  folder: 'menus',
  label: { en: 'Menu', zh: '菜单' },
  one: { en: 'a menu', zh: '菜单' },
  create: { label: { en: 'New menu', zh: '新建菜单' }, permission: 'menus:write' },
  deleted: { name: 'free' },
} as const satisfies Descriptor;
export const tokenResource = {
  noun: 'token',
  folder: 'tokens',
  label: { en: 'API token', zh: 'API 令牌' },
  one: { en: 'a token', zh: '令牌' },
  create: { label: { en: 'New token', zh: '新建令牌' }, permission: 'tokens:write' },
} as const satisfies Descriptor;
export const tenantResource = { noun: 'tenant', one: { en: 'a tenant', zh: '租户' } } as const satisfies Descriptor;
