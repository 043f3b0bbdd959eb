import type { Descriptor } from '../descriptor';

export const userResource = { noun: 'user', one: { en: 'a user', zh: '用户' } } as const satisfies Descriptor;
export const roleResource = {
  noun: 'role',
  one: { en: 'a role', zh: '角色' },
  deleted: { folder: 'roles', label: { en: 'Role', zh: '角色' }, write: 'access:write', name: 'unique' },
} as const satisfies Descriptor;
export const menuResource = {
  noun: 'menu',
  one: { en: 'a menu', zh: '菜单' },
  deleted: { folder: 'menus', label: { en: 'Menu', zh: '菜单' }, write: 'menus:write', name: 'free' },
} as const satisfies Descriptor;
export const tokenResource = { noun: 'token', one: { en: 'a token', zh: '令牌' } } as const satisfies Descriptor;
export const tenantResource = { noun: 'tenant', one: { en: 'a tenant', zh: '租户' } } as const satisfies Descriptor;
