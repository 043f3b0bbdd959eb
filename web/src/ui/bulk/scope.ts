/** Returns the name under which a run is stored. */
export const scopeOf = (list: string, id: string): string => `${list}/bulk/${id}`;
