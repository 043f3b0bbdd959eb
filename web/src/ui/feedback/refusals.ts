import type { ProblemCode } from '@/api';

/** What a refusal carries, as far as the service tells. */
export interface Given {
  who: string | undefined;
  n: string | undefined;
  sku: string | undefined;
  available: string | undefined;
  wanted: string | undefined;
}

const nothing = '没有任何更改';

/** Every code of the contract in the language that the service does not speak. The compiler finds one that is missing. */
export const refusals: Readonly<Record<ProblemCode, (given: Given) => string>> = {
  malformed_request: () => `请求无法识别；${nothing}。`,
  precondition_malformed: () => `所依据的版本无法使用；${nothing}。请重新读取后再试。`,
  precondition_required: () => `缺少所依据的版本；${nothing}。请重新读取后再试。`,
  idempotency_key_invalid: () => `幂等键无法使用；${nothing}。`,
  idempotency_key_reused: () => `这个幂等键已用于另一个请求；${nothing}。`,
  idempotency_violation: () => '其中的事件此前已经记录过。',
  inflight_duplicate: () => '同一事件的另一次写入仍在进行，请稍后再试。',
  sequence_superseded: () => `此写入方已记录过更大的序号；${nothing}。`,
  payload_mismatch: () => `这个编号已用于其他内容；${nothing}。`,
  action_id_in_future: () => `操作编号的时间在未来；${nothing}。`,
  request_in_progress: () => '同一请求的第一次尝试仍在进行，请稍后再试以取得其结果。',
  quota_exceeded: () => `配额已用完；${nothing}。`,
  unauthenticated: () => '会话已结束，请重新登录。',
  invalid_credentials: () => '用户名或密码错误。',
  too_many_attempts: () => '密码错误次数过多，请稍后再试。',
  forbidden: () => '你没有执行此操作的权限。',
  csrf_failed: () => `会话校验失败；${nothing}。请重新加载页面。`,
  not_found: () => '它不存在，或已被删除。',
  method_not_allowed: () => '此地址不支持这种操作。',
  already_exists: ({ who }) => (who === undefined ? '它已存在。' : `它已存在，最后由 ${who} 修改。`),
  transition_not_allowed: ({ who }) => (who === undefined ? '当前状态不允许此操作。' : `当前状态不允许此操作：${who} 已更改了它。`),
  status_changed: ({ who }) => (who === undefined ? '状态已被更改；没有执行你的操作。' : `${who} 抢先更改了它；没有执行你的操作。`),
  batch_conflict: ({ n }) => (n === undefined ? `与他人的更改冲突；${nothing}。` : `其中 ${n} 项与他人的更改冲突；${nothing}。`),
  version_conflict: ({ who }) => (who === undefined ? '读取之后它已被更改；你的更改均未生效。' : `自你读取之后 ${who} 更改了它；你的更改均未生效。`),
  insufficient_stock: ({ sku, available, wanted }) =>
    sku === undefined ? `库存不足；${nothing}。` : `${sku} 有货 ${available ?? '0'} 件，需要 ${wanted ?? '0'} 件；${nothing}。`,
  insufficient_balance: ({ available, wanted }) =>
    available === undefined ? `余额不足；${nothing}。` : `余额为 ${available}，需要 ${wanted ?? ''}；${nothing}。`,
  limit_reached: () => `已达上限；${nothing}。`,
  in_use: () => '它仍在使用中，不能删除。',
  sold_out: () => '已售罄。',
  sale_not_open: () => '抢购未开放。',
  queue_full: () => '队列已满，请稍后再试。',
  payload_too_large: () => `内容过大；${nothing}。`,
  validation_failed: () => `请求不符合规则；${nothing}。`,
  resource_locked: () => `另一项操作正占用它，没有及时释放；${nothing}。请重试。`,
  rate_limited: () => `请求过于频繁；${nothing}。`,
  unavailable: () => `服务暂时不可用；${nothing}。请重试。`,
  outcome_unknown: () => '没有收到结果，不知道是否已执行。',
  internal: () => '请求没有完成。报告问题时请提供请求编号。',
  no_connection: () => '无法连接服务。',
  timed_out: () => '服务没有及时答复。',
  bad_gateway: () => '服务之前的网关没有给出答复。',
};

/** The rules that a single place can break, by their codes; keywords of JSON Schema are among them. */
export const rules: Readonly<Partial<Record<string, string>>> = {
  required: '必填',
  max: '太大或太长',
  lte: '太大或太长',
  maximum: '大于 schema 允许的最大值',
  exclusiveMaximum: '大于 schema 允许的最大值',
  maxLength: '比 schema 允许的长',
  maxItems: '比 schema 允许的项多',
  min: '太小或太短',
  gte: '太小或太短',
  gt: '太小',
  minimum: '小于 schema 允许的最小值',
  exclusiveMinimum: '小于 schema 允许的最小值',
  minLength: '比 schema 要求的短',
  minItems: '比 schema 要求的项少',
  gtfield: '结束时间必须晚于开始时间',
  oneof: '不是允许的值',
  enum: '不是 schema 允许的值',
  const: '不是 schema 允许的值',
  pattern: '格式不符',
  format: '格式不符',
  type: '类型不符',
  json: '不是有效的 JSON',
  schema: '不是可用的 JSON Schema',
  additionalProperties: '含有 schema 不允许的成员',
  uniqueItems: '含有重复的项',
  depth: '嵌套过深',
  size: '过大',
  range: '超出允许的范围',
  unique: '重复指定',
  different: '必须不同',
  exclusive: '不能同时给出',
  excluded: '不能与其他成员同时给出',
  exactly_one: '必须恰好给出其中一个',
  ascending: '必须大于前一个事件的序号',
  limit: '超过数量上限',
  limit_reached: '该用户已达上限',
  not_for_sale: '不是在售商品',
  overflow: '数额超出可计范围',
  nonzero: '不能为 0',
  bound: '不是这张优惠券的所属用户',
  unknown: '不存在',
  used: '已被使用',
  void: '已作废',
  expired: '已过期',
  not_yet_valid: '还不能使用',
  over: '已结束',
  fixed: '开始后不能再更改',
  future: '必须是将来的时间',
  reserved: '不能以 @ 开头，这类编号由系统自用',
  malformed: '无法识别',
  other: '不符合要求',
};
