; 252808666819128649801581591829629326027 = 17555527042109671259 * 14400517068654652753
(set-logic QF_BV)
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(declare-const found Bool)
(define-fun product () (_ BitVec 128) (bvmul ((_ zero_extend 64) a) ((_ zero_extend 64) b)))
(assert (! (and (= product (_ bv252808666819128649801581591829629326027 128)) found) :named found-them))
(assert (! (and (not (= product (_ bv252808666819128649801581591829629326027 128))) (not found)) :named other-numbers))
